/**
 * The playground's page: shows what the server says, without a reload. The server renders everything; this moves it to
 * where it belongs, and keeps what the owner typed and opened.
 */
{
  const byId = <E extends HTMLElement = HTMLElement>(id: string) => document.getElementById(id) as E;
  const frame = byId<HTMLIFrameElement>('frame');
  const stage = () => byId('stage').dataset;
  const say = (text: string) => {
    byId('said').textContent = text;
  };

  // The form that is shown -----------------------------------------------------------------------------------------

  /** Values as the relay takes them in a form's address: it renders the form with them, and the fields they ask for. */
  type Values = URLSearchParams;
  /** What was typed into each form, for when it is shown again; also on a page that is loaded again. */
  const typed = new Map<string, string>(JSON.parse(sessionStorage.getItem('typed') ?? '[]'));
  /** Nothing can be typed while the form is on its way, and nothing is lost. */
  let isOnItsWay = false;
  const keepTyped = (form = stage().form) => {
    if (form !== undefined && !isOnItsWay) typed.set(form, String(takeTyped()));
  };
  addEventListener('pagehide', () => {
    keepTyped();
    sessionStorage.setItem('typed', JSON.stringify([...typed]));
  });

  type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;
  const relayForm = () => frame.contentDocument?.querySelector<HTMLFormElement>('form.form-relay');
  /** What people can fill in: neither what is hidden, nor the decoy. */
  const controlsOf = (form: HTMLFormElement): Control[] =>
    ([...form.elements] as Control[]).filter(
      (control) =>
        control.name &&
        !['hidden', 'submit', 'fieldset'].includes(control.type) &&
        !control.closest('[inert]'),
    );
  const isBox = (control: Control): control is HTMLInputElement =>
    control.type === 'checkbox' || control.type === 'radio';
  const valuesOf = (control: Control): string[] => {
    if (isBox(control)) return control.checked ? [control.value] : [];
    if ('selectedOptions' in control) return [...control.selectedOptions].map(({ value }) => value);
    return [control.value];
  };
  const isTouched = (control: Control) => {
    if (isBox(control)) return control.checked !== control.defaultChecked;
    if ('selectedOptions' in control) {
      const initial = [...control.options].filter((one) => one.defaultSelected);
      // Of a list without an initial value, browsers choose the first.
      const shown = initial.length > 0 || control.multiple ? initial : [...control.options].slice(0, 1);
      return shown.map(({ value }) => value).join('\n') !== valuesOf(control).join('\n');
    }
    return control.value !== control.defaultValue;
  };

  /**
   * What was typed or chosen, now or before. Of a form that the relay gave back, everything: it has made that its
   * initial values. A box that is not ticked is said to be empty; left out, it would be shown as it was at first.
   */
  const takeTyped = (): Values => {
    const values = new URLSearchParams();
    const form = relayForm();
    if (!form) return values;
    const isGivenBack = form.querySelector('[aria-invalid], .form-errors') !== null;
    const before = new URLSearchParams(frame.contentWindow?.location.search);
    const controls = controlsOf(form);
    const names = controls.filter((one) => isGivenBack || isTouched(one) || before.has(one.name));
    for (const name of new Set(names.map((one) => one.name))) {
      const sent = controls.filter((one) => one.name === name).flatMap(valuesOf);
      for (const value of sent.length > 0 ? sent : ['']) values.append(name, value);
    }
    return values;
  };

  let growing: ResizeObserver | undefined;
  const onLoad = () => {
    const root = frame.contentDocument?.documentElement;
    growing?.disconnect();
    if (!root) return;
    growing = new ResizeObserver(() => {
      frame.style.height = `${Math.max(root.offsetHeight, 160)}px`;
    });
    growing.observe(root);
  };
  frame.addEventListener('load', onLoad);
  if (frame.contentDocument?.readyState === 'complete') onLoad();

  /** What does not fit into an address, of which servers take 16 KB at most, is typed in again. */
  const longest = 300;
  const most = 12_000;

  /** Calls back when the page that is on its way has its form, which htmx brings a little later. */
  const onceShown = (then: (form: HTMLFormElement) => void) => {
    const onPage = () => {
      const look = () => {
        const form = relayForm();
        if (!form) return;
        waiting.disconnect();
        then(form);
      };
      const waiting = new MutationObserver(look);
      if (frame.contentDocument) waiting.observe(frame.contentDocument, { childList: true, subtree: true });
      look();
    };
    frame.addEventListener('load', onPage, { once: true });
  };

  /** Gives the keyboard back to the field that it is in now, at the same place in its text. */
  const takeFocus = (): (() => void) => {
    const focused =
      document.activeElement === frame && (frame.contentDocument?.activeElement as Control | null);
    if (!focused || focused.name === undefined) return () => undefined;
    const { name, value } = focused;
    const selection = 'selectionStart' in focused ? [focused.selectionStart, focused.selectionEnd] : [];
    return () => {
      const controls = controlsOf(relayForm() as HTMLFormElement).filter((one) => one.name === name);
      const control = controls.find((one) => !isBox(one) || one.value === value);
      control?.focus();
      const [start, end] = selection;
      if (control && 'setSelectionRange' in control && typeof start === 'number')
        control.setSelectionRange(start, end ?? start);
    };
  };

  /** Shows the form that the stage names. */
  const showForm = (values: Values = new URLSearchParams()) => {
    const { frame: address } = stage();
    frame.hidden = address === undefined;
    const query = new URLSearchParams([...values].filter(([, value]) => value.length <= longest));
    const hasQuery = query.size > 0 && String(query).length < most;
    const restoreFocus = takeFocus();
    isOnItsWay = true;
    // In place of the page before, so that Back leads to the form before.
    frame.contentWindow?.location.replace(`${address ?? 'about:blank'}${hasQuery ? `?${query}` : ''}`);
    const long = [...values].filter(([, value]) => value.length > longest);
    onceShown((form) => {
      isOnItsWay = false;
      for (const [name, value] of long) {
        const control = form.elements.namedItem(name);
        if (control && 'value' in control) control.value = value;
      }
      restoreFocus();
    });
  };

  const showKept = () => showForm(new URLSearchParams(typed.get(stage().form ?? '')));
  if (typed.get(stage().form ?? '')) showKept();

  const deeds: Readonly<Record<string, () => void>> = {
    fill: () => showForm(new URLSearchParams(JSON.parse(stage().samples ?? '[]'))),
    decoy: () => {
      const name = stage().decoy ?? '';
      const decoy = relayForm()?.elements.namedItem(name);
      if (!decoy || !('value' in decoy)) return;
      decoy.value = 'https://spam.example/';
      say(`The decoy field ${name} is filled, as a bot would. Now send the form.`);
    },
    again: () => showForm(),
  };

  // What follows the config ----------------------------------------------------------------------------------------

  /** On a narrow page, the mistake in a long line is out of sight. */
  const showCarets = () => {
    for (const caret of document.querySelectorAll<HTMLElement>('.problems pre b')) {
      const line = caret.parentElement as HTMLElement;
      line.scrollLeft = caret.offsetLeft + caret.offsetWidth - line.offsetLeft - line.clientWidth / 2;
    }
  };
  showCarets();
  document.querySelector('#forms [aria-current]')?.scrollIntoView({ block: 'nearest' });

  let refreshes = 0;
  /** Exchanges what stands in `data-live` for its latest state. */
  const refresh = async () => {
    refreshes += 1;
    const mine = refreshes;
    const answer = await fetch(`/playground/now${location.search}`).catch(() => undefined);
    // It has stopped, and the page says so. When it runs again, this is made up for.
    if (!answer?.ok) return;
    const latest = new DOMParser().parseFromString(await answer.text(), 'text/html');
    // Another one began meanwhile, and knows more.
    if (mine !== refreshes) return;
    const focused = document.activeElement?.id;
    const before = { ...stage() };
    for (const old of document.querySelectorAll('[data-live]')) {
      const next = latest.getElementById(old.id);
      if (!next || next.outerHTML === old.outerHTML) continue;
      const { scrollTop } = old;
      old.replaceWith(document.adoptNode(next));
      next.scrollTop = scrollTop;
    }
    document.title = latest.title;
    showCarets();
    if (focused && document.activeElement?.id !== focused) byId(focused)?.focus();
    const now = stage();
    if (before.frame === now.frame && before.look === now.look) return;
    keepTyped(before.form);
    showKept();
  };

  addEventListener('popstate', refresh);
  document.addEventListener('click', (event) => {
    const target = event.target as Element;
    const link = target.closest<HTMLAnchorElement>('a[data-nav]');
    const isPlainClick =
      event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
    if (link && isPlainClick) {
      event.preventDefault();
      history.pushState(null, '', link.href);
      void refresh();
    }
    const deed = target.closest<HTMLElement>('[data-do]')?.dataset.do;
    if (deed) deeds[deed]?.();
    const copy = target.closest<HTMLElement>('[data-copy]');
    if (copy) void copyFrom(copy);
  });

  const copyFrom = async (button: HTMLElement) => {
    await navigator.clipboard.writeText(button.parentElement?.querySelector('pre')?.textContent ?? '');
    const label = button.querySelector('span') as HTMLElement;
    label.textContent = 'Copied';
    say('Copied.');
    setTimeout(() => {
      label.textContent = 'Copy';
    }, 1500);
  };

  const post = (path: string, values: Record<string, string>) =>
    fetch(path, { method: 'POST', body: new URLSearchParams(values) }).catch(() => undefined);

  document.addEventListener('change', (event) => {
    const select = event.target as HTMLSelectElement;
    const { form, fault } = select.dataset;
    if (form !== undefined && fault !== undefined)
      void post('/playground/fault', { form, output: fault, fault: select.value });
  });
  byId('clear').addEventListener('click', () => post('/playground/clear', {}));

  // On a narrow page the form comes first.
  if (matchMedia('(max-width: 67rem)').matches) byId('about').removeAttribute('open');

  // The inbox ------------------------------------------------------------------------------------------------------

  interface Arrival {
    html: string;
    says: string;
    word: string;
    tone: string;
  }
  const stories = byId('stories');
  const toast = byId<HTMLAnchorElement>('toast');
  /** The one that opened itself; it closes when the next one does. */
  let opened: HTMLDetailsElement | undefined;
  const showEmpty = () => {
    byId('empty').hidden = stories.childElementCount > 0;
    byId('clear').hidden = stories.childElementCount === 0;
  };
  showEmpty();

  /** Takes those out that came before this one. */
  const forget = (oldest: number) => {
    for (const story of stories.querySelectorAll<HTMLElement>('.story'))
      if (Number(story.dataset.number) < oldest) story.remove();
    if (stories.childElementCount === 0) toast.hidden = true;
    showEmpty();
  };

  stories.addEventListener('click', (event) => {
    // Whoever touched it keeps it.
    if (opened && event.target instanceof Element && opened.contains(event.target)) opened = undefined;
  });

  const arrive = ({ html, says, word, tone }: Arrival) => {
    const template = document.createElement('template');
    template.innerHTML = html;
    const story = template.content.firstElementChild as HTMLDetailsElement;
    if (document.getElementById(story.id)) return;
    latest = story.dataset.number ?? latest;
    if (opened) opened.open = false;
    story.open = true;
    opened = story;
    stories.prepend(story);
    while (stories.childElementCount > 100) stories.lastElementChild?.remove();
    showEmpty();
    say(says);
    toast.hidden = story.getBoundingClientRect().top < innerHeight - 40;
    toast.textContent = `${word}: see what happened ↓`;
    toast.className = tone;
    toast.href = `#${story.id}`;
  };
  toast.addEventListener('click', () => {
    toast.hidden = true;
  });

  // The stream of events --------------------------------------------------------------------------------------------

  const { run, last = '0' } = document.body.dataset;
  const stopped = 'The playground has stopped; it is shown again when it runs.';
  /** The number of the last story that came. */
  let latest = last;
  /** The config may have changed unheard. */
  let isStale = document.hidden;
  let events: EventSource | undefined;

  const connect = () => {
    events = new EventSource(`/playground/events?after=${latest}`);
    const on = (type: string, then: (data: never) => void) =>
      events?.addEventListener(type, ({ data }) => then(JSON.parse(data) as never));
    on('hello', (now: { run: string; oldest: number }) => {
      // Started anew: what this page shows is gone.
      if (now.run !== run) location.reload();
      if (isStale) void refresh();
      isStale = false;
      document.body.classList.remove('lost');
      byId('busy').textContent = '';
      forget(now.oldest);
    });
    on('story', arrive);
    on('busy', (count: number) => {
      byId('busy').textContent = count === 0 ? '' : `${count} under way …`;
    });
    on('changed', () => void refresh());
    on('cleared', () => forget(Number.POSITIVE_INFINITY));
    events.addEventListener('error', () => {
      if (!document.body.classList.contains('lost')) say(stopped);
      isStale = true;
      document.body.classList.add('lost');
      byId('busy').textContent = stopped;
    });
  };
  if (!document.hidden) connect();
  // Browsers open no more than six connections to a server, for all tabs together.
  document.addEventListener('visibilitychange', () => {
    events?.close();
    isStale = true;
    if (!document.hidden) connect();
  });
}
