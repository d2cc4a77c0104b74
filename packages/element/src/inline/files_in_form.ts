/** Stands in every form with a file field that is not plain and is not sent by packages/element/src/element: loads what that needs. */
{
  const form = document.currentScript?.closest('form') as HTMLFormElement;
  const action = new URL(form.getAttribute('action') as string, document.baseURI);
  // Without it, files are chosen and sent as browsers do.
  import(`${new URL('../files.js', action)}`).then(({ attach }) => attach(form)).catch(() => {});
}
