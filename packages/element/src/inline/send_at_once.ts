/** Sends the form that a link in a mail leads to, but only once the page is visible, because browsers preload pages. */
{
  const form = document.currentScript?.previousElementSibling as HTMLFormElement;
  const send = () => {
    if (document.visibilityState !== 'visible') return;
    document.removeEventListener('visibilitychange', send);
    form.submit();
  };
  document.addEventListener('visibilitychange', send);
  send();
}
