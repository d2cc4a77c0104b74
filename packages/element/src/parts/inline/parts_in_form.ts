/** Stands in every form with fields that have scripts, and that is not sent by packages/element/src/element. */
{
  const form = document.currentScript?.closest('form') as HTMLFormElement;
  const action = new URL(form.getAttribute('action') as string, document.baseURI);
  for (const name of form.dataset.parts?.split(' ') ?? []) {
    // Without it, the fields work as they are.
    import(`${new URL(`../${name}.js`, action)}`).then(({ attach }) => attach(form)).catch(() => {});
  }
}
