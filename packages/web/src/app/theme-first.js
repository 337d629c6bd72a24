// Before the first paint: the theme that was chosen, so that no page flashes in the wrong one. app/theme.ts does all the rest.
try {
  const chosen = localStorage.getItem("nearkin.theme");
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
} catch {
  // storage is refused: the system's theme stands
}
