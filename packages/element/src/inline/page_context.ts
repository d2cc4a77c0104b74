/**
 * Included in every form that asks for its page, is not plain and is not sent by
 * packages/element/src/element: reports which page this is.
 */
{
  const form = document.currentScript?.closest('form') as HTMLFormElement;
  // Reads the page as late as possible, because client-side routers change it. htmx also listens here, and
  // reads the form after this.
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
