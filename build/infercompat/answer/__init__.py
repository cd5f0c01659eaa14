"""Answers to one person's question, the same on the command line, in JSON and on the page."""
