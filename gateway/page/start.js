// Starts the page after all other scripts were loaded.

function begin() {
  $('theme').addEventListener('click', () => {
    theme = themes[(themes.indexOf(theme) + 1) % themes.length];
    applyTheme();
  });
  systemIsDark.addEventListener('change', applyTheme);
  $('gate-form').addEventListener('submit', (event) => {
    event.preventDefault();
    accessKey = $('gate-key').value.trim();
    poll();
  });
  addEventListener('hashchange', () => {
    showView();
    $('main').focus({ preventScroll: true });
  });
  document.addEventListener('visibilitychange', () => { if (!document.hidden) poll(); });
  showView();
  poll();
}

applyTheme();
begin();
