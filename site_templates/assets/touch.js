// @ts-check
// "Does it touch me?" on a model's gotchas: choose engine, severity and class of hardware, and what cannot touch that stack is hidden.
// Without this script the form stays hidden and every gotcha is shown.

const form = /** @type {HTMLFormElement | null} */ (document.querySelector("#ic-touch"));
const entries = /** @type {HTMLElement[]} */ ([...document.querySelectorAll(".ic-gates > li")]);

/** Whether an entry's list holds a choice; an empty choice, and a list that holds everything, match anything.
 * @param {string | undefined} list @param {string} choice */
export function matches(list, choice) {
  const words = (list ?? "").split(" ").filter(Boolean);
  return !choice || words.includes("*") || words.includes(choice);
}

/** @param {HTMLFormElement} filter */
function apply(filter) {
  const chosen = Object.fromEntries(["engine", "severity", "hardware"].map((name) => [name, /** @type {HTMLSelectElement} */ (filter.elements.namedItem(name)).value]));
  for (const entry of entries) entry.hidden = !Object.entries(chosen).every(([name, choice]) => matches(entry.dataset[name], choice));
  const left = entries.filter((entry) => !entry.hidden).length;
  const count = filter.querySelector("output");
  if (count) count.textContent = left === entries.length ? `All ${left} shown.` : `${left} of ${entries.length} can touch it.`;
}

if (form) {
  form.hidden = false;
  form.addEventListener("input", () => apply(form));
  form.addEventListener("submit", (event) => event.preventDefault());
  apply(form);
}
