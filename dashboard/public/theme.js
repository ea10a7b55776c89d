// Sets the stored theme before the first paint, so that no page flashes in the other one. A file of its own: the CSP forbids inline script.
try {
  const theme = localStorage.getItem("lamella.theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // Storage is blocked: the system's theme applies.
}
