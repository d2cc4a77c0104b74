/** Sends the form to which a link in a mail leads once somebody sees it, since browsers load pages ahead. */
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
