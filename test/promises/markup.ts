import { parseFragment, type DefaultTreeAdapterTypes as Tree } from 'parse5';

interface Tag {
  readonly tag: string;
  readonly attributes: Readonly<Record<string, string | undefined>>;
  /** An `input`'s attribute, or a `textarea`'s text. */
  readonly value: string | undefined;
}

/** All elements, in order. */
export const tagsIn = (markup: string): readonly Tag[] => elementsIn(parseFragment(markup)).map(tagOf);

/** All text, without tags. */
export const textIn = (markup: string): string => textOf(parseFragment(markup));

/** The control with this name. */
export const controlIn = (markup: string, name: string): Tag | undefined =>
  tagsIn(markup).find((one) => one.attributes.name === name && /^(input|textarea|select)$/.test(one.tag));

/** Names of controls that are marked as invalid. */
export const invalidFieldsIn = (markup: string): readonly string[] =>
  tagsIn(markup).flatMap(({ attributes }) =>
    attributes['aria-invalid'] === 'true' && attributes.name ? [attributes.name] : [],
  );

const elementsIn = (node: Tree.ParentNode): readonly Tree.Element[] =>
  node.childNodes.flatMap((child) => ('tagName' in child ? [child, ...elementsIn(child)] : []));

const textOf = (node: Tree.ParentNode): string =>
  node.childNodes
    .map((child) => ('value' in child ? child.value : 'childNodes' in child ? textOf(child) : ''))
    .join('');

function tagOf(element: Tree.Element): Tag {
  const attributes: Record<string, string> = Object.create(null);
  for (const { name, value } of element.attrs) attributes[name] = value;
  const { tagName: tag } = element;
  return { tag, attributes, value: tag === 'textarea' ? textOf(element) : attributes.value };
}
