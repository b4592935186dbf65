// Before the first picture: its colours. Behind it: the rest, whose reading would hold the picture up.
document.documentElement.toggleAttribute('data-dark', matchMedia('(prefers-color-scheme: dark)').matches);
requestAnimationFrame(() => setTimeout(() => {
  const made = document.createElement('script');
  made.textContent = document.getElementById('rest').textContent;
  document.body.append(made);
}));
