/**
 * Stands in a pasted form with min-fill, whose token is fetched by the page: without one, or with one that came too
 * late, the relay would drop a submission in silence. So it is held back until the token is there and old enough.
 * Only the time that the fetching took is waited for: a sender that is too quick for the form itself is still a bot.
 */
{
  const form = document.currentScript?.closest('form') as HTMLFormElement;
  const loader = form.querySelector('[data-min-fill-ms]') as HTMLElement;
  const minFillMs = Number(loader.dataset.minFillMs);
  const status = form.querySelector('.form-status') as Element;
  let arrivedAt: number | undefined;
  let isWaiting = false;

  const retry = () => loader.dispatchEvent(new Event('retry'));
  const retryIn = (ms: number) =>
    setTimeout(() => {
      if (arrivedAt !== undefined) return;
      retry();
      retryIn(ms * 2);
    }, ms);
  retryIn(2000);

  // A proxy before the relay may answer with something else, even with status 200.
  const isToken = (answer = '') => answer.startsWith('<input type="hidden"');
  loader.addEventListener('htmx:beforeSwap', (event) => {
    const { detail } = event as CustomEvent<{ shouldSwap: boolean; serverResponse: string }>;
    detail.shouldSwap &&= isToken(detail.serverResponse);
  });
  loader.addEventListener('htmx:before:swap', (event) => {
    if (!isToken((event as CustomEvent<{ ctx: { text?: string } }>).detail.ctx.text)) event.preventDefault();
  });

  const send = () => {
    if (!isWaiting) return;
    isWaiting = false;
    status.textContent = '';
    form.requestSubmit();
  };
  // After back, and where a page is loaded again, the browser fills in what was typed before.
  const isTooQuick = (now: number) => now < minFillMs && !performance.navigation?.type;
  const waitMs = () => {
    const now = performance.now();
    if (arrivedAt === undefined) return Infinity;
    return isTooQuick(now) ? 0 : arrivedAt + minFillMs - now;
  };

  new MutationObserver((_, observer) => {
    if (form.contains(loader)) return;
    observer.disconnect();
    arrivedAt = performance.now();
    setTimeout(send, waitMs());
  }).observe(form, { childList: true, subtree: true });

  form.addEventListener(
    'submit',
    (event) => {
      const ms = waitMs();
      if (ms <= 0) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      if (isWaiting) return;
      isWaiting = true;
      status.textContent = words.not_sent_yet;
      if (ms < Infinity) {
        setTimeout(send, ms);
        return;
      }
      retry();
      setTimeout(() => {
        if (!isWaiting || arrivedAt !== undefined) return;
        isWaiting = false;
        status.textContent = words.not_ready;
      }, 8000);
    },
    true,
  );
}
