/** A field may have the name of what every form has, and hides it then: `style`, `elements`. */
export const member = <K extends 'style' | 'elements'>(form: HTMLElement, name: K): HTMLFormElement[K] =>
  Reflect.get(HTMLFormElement.prototype, name, form);
