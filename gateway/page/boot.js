// Sets the page's colours before the browser renders the page for the first time. The other scripts run later, because
// parsing them would delay the first rendering of the page.
document.documentElement.toggleAttribute('data-dark', matchMedia('(prefers-color-scheme: dark)').matches);
requestAnimationFrame(() => setTimeout(() => {
  const made = document.createElement('script');
  made.textContent = document.getElementById('rest').textContent;
  document.body.append(made);
}));
