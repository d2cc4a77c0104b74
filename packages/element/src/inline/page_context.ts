/** Stands in every form that asks for its page, is not plain and is not sent by packages/element/src/element: it says which page this is. */
{
  const form = document.currentScript?.closest('form') as HTMLFormElement;
  // As late as can be: pages that exchange their content change both. htmx listens here too, and reads the form after this.
  form.addEventListener(
    'submit',
    () => {
      const say = (name: string, value: string) => {
        (form.querySelector(`[name=${name}]`) as HTMLInputElement).value = value;
      };
      say('_page_url', location.href);
      say('_page_title', document.title);
    },
    true,
  );
}
