/** Stands in every form with `remember` on a page without packages/element/src/element: loads what keeps what is typed. */
{
  const form = document.currentScript?.closest('form') as HTMLFormElement;
  const action = new URL(form.getAttribute('action') as string, document.baseURI);
  import(`${new URL('../remember.js', action)}`).then(({ attach }) => attach(form, form)).catch(() => {});
}
