// Behaviour that HTML lacks: the menu on phones, colour schemes, search, copying. A plain script, because a
// page opened from disk may not load modules.
(() => {
  const root = document.body.dataset.root;
  const at = (selector) => document.querySelector(selector);
  const make = (tag, properties = {}, ...children) => {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
  };

  // The menu on phones.
  const menu = at('.menu');
  const showMenu = (isOpen) => {
    document.body.classList.toggle('menu-open', isOpen);
    menu.setAttribute('aria-expanded', isOpen);
  };
  menu.onclick = () => showMenu(!document.body.classList.contains('menu-open'));
  at('.pages').addEventListener('click', ({ target }) => target.closest('a') && showMenu(false));
  const current = at('.pages [aria-current]');
  if (current) at('.pages').scrollTop = current.offsetTop - innerHeight / 3;

  // Colours.
  const themes = ['auto', 'light', 'dark'];
  const words = { auto: 'as the system has them', light: 'light', dark: 'dark' };
  const theme = at('.theme');
  const showTheme = (name) => {
    document.documentElement.dataset.theme = name;
    theme.setAttribute('aria-label', `Colours: ${words[name]}`);
    theme.title = `Colours: ${words[name]}`;
  };
  showTheme(
    themes.includes(document.documentElement.dataset.theme) ? document.documentElement.dataset.theme : 'auto',
  );
  theme.onclick = () => {
    const name = themes[(themes.indexOf(document.documentElement.dataset.theme) + 1) % themes.length];
    showTheme(name);
    try {
      localStorage.theme = name;
    } catch {}
  };

  // Code.
  for (const code of document.querySelectorAll('.code')) {
    const tools = make('div', { className: 'tools' });
    const copy = make('button', { className: 'copy', textContent: 'Copy' });
    copy.onclick = async () => {
      await navigator.clipboard?.writeText(code.querySelector('code').textContent);
      copy.textContent = 'Copied';
      setTimeout(() => (copy.textContent = 'Copy'), 2000);
    };
    if (navigator.clipboard) tools.append(copy);
    code.append(tools);
  }

  // Search.
  const load = (name) =>
    new Promise((resolve, reject) => {
      document.head.append(make('script', { src: root + name, onload: resolve, onerror: reject }));
    });
  let index;
  const loadIndex = async () => {
    await Promise.all(['minisearch.js', 'search.js', 'search_data.js'].map(load));
    return createSearch(MiniSearch, formRelayPages);
  };

  const input = make('input', {
    type: 'search',
    placeholder: 'Search the manual',
    autocomplete: 'off',
    spellcheck: false,
  });
  for (const [name, value] of Object.entries({
    ...{ role: 'combobox', 'aria-label': 'Search the manual', 'aria-controls': 'found' },
    ...{ 'aria-expanded': 'false', 'aria-autocomplete': 'list' },
  }))
    input.setAttribute(name, value);
  const list = make('ul', { id: 'found', role: 'listbox', ariaLabel: 'Found' });
  const none = make('p', { role: 'status' });
  const dialog = make('dialog', { ariaLabel: 'Search' }, input, list, none);
  document.body.append(dialog);
  let chosen = 0;

  const openSearch = () => {
    if (dialog.open) return;
    dialog.showModal();
    input.select();
    index ??= loadIndex().catch(() => (index = undefined));
    void show();
  };
  const choose = (at) => {
    const items = [...list.children];
    if (items.length === 0) return;
    chosen = (at + items.length) % items.length;
    for (const [n, item] of items.entries()) item.setAttribute('aria-selected', n === chosen);
    items[chosen].scrollIntoView({ block: 'nearest' });
    input.setAttribute('aria-activedescendant', items[chosen].id);
  };
  const go = (item) => {
    dialog.close();
    location.href = item.dataset.href;
  };

  /** An excerpt around the first match, with all matches marked. */
  const excerpt = (text, terms) => {
    const lower = text.toLowerCase();
    const first = Math.min(...terms.map((term) => lower.indexOf(term)).filter((n) => n >= 0), Infinity);
    const from = first === Infinity || first < 60 ? 0 : first - 50;
    const part = (from > 0 ? '…' : '') + text.slice(from, from + 150);
    const pattern = terms.map((term) => term.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|');
    if (!pattern) return [part];
    return part
      .split(new RegExp(`(${pattern})`, 'gi'))
      .map((piece, n) => (n % 2 ? make('mark', {}, piece) : piece));
  };

  async function show() {
    const asked = input.value.trim();
    const search = await index;
    if (!search || asked !== input.value.trim()) return;
    const results = asked ? search(asked) : [];
    list.replaceChildren(
      ...results.map(({ address, title, heading, text, terms }, n) => {
        const item = make(
          'li',
          { id: `found-${n}`, role: 'option' },
          make('b', {}, ...excerpt(heading === title ? title : `${title} › ${heading}`, terms)),
          make('small', {}, ...excerpt(text, terms)),
        );
        item.dataset.href = root + address;
        item.onclick = () => go(item);
        item.onmousemove = () => chosen !== n && choose(n);
        return item;
      }),
    );
    list.hidden = results.length === 0;
    input.setAttribute('aria-expanded', results.length > 0);
    none.textContent = asked && results.length === 0 ? `Nothing found for “${asked}”.` : '';
    choose(0);
  }
  input.oninput = show;
  dialog.onkeydown = (event) => {
    if (event.key === 'ArrowDown') choose(chosen + 1);
    else if (event.key === 'ArrowUp') choose(chosen - 1);
    else if (event.key === 'Enter' && list.children[chosen]) go(list.children[chosen]);
    else return;
    event.preventDefault();
  };
  dialog.onclick = ({ target }) => target === dialog && dialog.close();
  at('.search').onclick = openSearch;
  addEventListener('keydown', (event) => {
    const isTyping =
      /^(input|textarea|select)$/i.test(event.target.tagName) || event.target.isContentEditable;
    const isAsked =
      (event.key === '/' && !isTyping) || (event.key === 'k' && (event.metaKey || event.ctrlKey));
    if (event.key === 'Escape') showMenu(false);
    if (!isAsked) return;
    event.preventDefault();
    openSearch();
  });
})();
