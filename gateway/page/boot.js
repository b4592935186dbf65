// Sets the page's colours before the browser paints it for the first time. The other scripts run after that, because
// parsing them would delay it.
document.documentElement.toggleAttribute('data-dark', matchMedia('(prefers-color-scheme: dark)').matches);
requestAnimationFrame(() => setTimeout(() => {
  const made = document.createElement('script');
  made.textContent = document.getElementById('rest').textContent;
  document.body.append(made);
}));
