import form from './contact.html?raw';

export function Printed() {
  // biome-ignore lint/security/noDangerouslySetInnerHtml: it is the relay's own markup.
  return <section dangerouslySetInnerHTML={{ __html: form }} />;
}
