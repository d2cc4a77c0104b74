/**
 * Stands behind the form to which a link in a mail leads, and sends it: once somebody sees the page, since browsers also
 * load pages ahead that nobody has opened yet.
 */
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
