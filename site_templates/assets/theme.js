// @ts-check
// What the theme leaves out: the search box is a dialog to screen readers, and a dialog needs a name.

document.querySelector(".md-search[role=dialog]")?.setAttribute("aria-label", "Search");
