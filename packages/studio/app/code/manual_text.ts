/** The manual's text as nodes: `code`, and links as their words. Nothing in it is read as HTML. */
export function manualText(text: string): DocumentFragment {
  const fragment = document.createDocumentFragment();
  const plain = text.replaceAll(/\[([^\]`]+)\]\([^)]*\)/g, '$1');
  for (const [index, part] of plain.split(/`+/).entries()) {
    if (index % 2 === 0) fragment.append(part);
    else {
      const code = document.createElement('code');
      code.textContent = part;
      fragment.append(code);
    }
  }
  return fragment;
}
