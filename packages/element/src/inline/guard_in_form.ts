/** Stands in every form that keeps out bots and is not sent by packages/element/src/element: loads what that needs. */
{
  const form = document.currentScript?.closest('form') as HTMLFormElement;
  const action = new URL(form.getAttribute('action') as string, document.baseURI);
  // Without it, the relay asks a question that people can answer.
  import(`${new URL('../guard.js', action)}`).then(({ attach }) => attach(form)).catch(() => {});
}
