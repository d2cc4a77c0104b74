/** A minimal DOM for the builder's components: elements and events, without layout or rendering. */

type Listener = (this: FakeNode, event: FakeEvent) => void;
interface FakeEvent {
  readonly type: string;
  target: FakeNode;
  currentTarget: FakeNode;
  readonly key?: string;
  preventDefault(): void;
  stopPropagation(): void;
}

const kinds =
  'click input change keydown blur focus toggle close pointerdown paste focusout beforeinput'.split(' ');

const properties: Readonly<Record<string, readonly string[]>> = {
  input: ['value', 'checked', 'disabled', 'type'],
  option: ['value'],
  textarea: ['value'],
  details: ['open'],
  select: ['value', 'disabled'],
  button: ['disabled'],
  dialog: ['open'],
};

export class FakeNode {
  nodeType = 1;
  parentNode: FakeNode | null = null;
  childNodes: FakeNode[] = [];
  ownerDocument = fakeDocument;
  attributes = new Map<string, string>();
  listeners = new Map<string, Set<Listener>>();
  style = {};
  dataset: Record<string, string> = {};
  classList = { add() {}, remove() {} };
  selectionStart = 0;
  selectionEnd = 0;
  [property: string]: unknown;
  constructor(
    readonly localName: string,
    public data = '',
  ) {
    for (const name of properties[localName] ?? []) this[name] = name === 'value' ? '' : false;
  }
  get firstChild(): FakeNode | null {
    return this.childNodes[0] ?? null;
  }
  get nextSibling(): FakeNode | null {
    const around = this.parentNode?.childNodes ?? [];
    return around[around.indexOf(this) + 1] ?? null;
  }
  get textContent(): string {
    return this.data + this.childNodes.map(({ textContent }) => textContent).join('');
  }
  set textContent(text: string) {
    this.data = text;
  }
  insertBefore(node: FakeNode, before: FakeNode | null) {
    node.remove();
    const at = before ? this.childNodes.indexOf(before) : -1;
    this.childNodes.splice(at < 0 ? this.childNodes.length : at, 0, node);
    node.parentNode = this;
    return node;
  }
  appendChild(node: FakeNode) {
    return this.insertBefore(node, null);
  }
  removeChild(node: FakeNode) {
    node.remove();
    return node;
  }
  remove() {
    const around = this.parentNode?.childNodes ?? [];
    if (around.includes(this)) around.splice(around.indexOf(this), 1);
    this.parentNode = null;
  }
  contains(node: FakeNode | null): boolean {
    return node !== null && (node === this || this.contains(node.parentNode));
  }
  setAttribute(name: string, value: unknown) {
    this.attributes.set(name, String(value));
  }
  getAttribute(name: string) {
    return this.attributes.get(name) ?? null;
  }
  removeAttribute(name: string) {
    this.attributes.delete(name);
  }
  addEventListener(type: string, listener: Listener) {
    this.listeners.set(type, (this.listeners.get(type) ?? new Set()).add(listener));
  }
  removeEventListener(type: string, listener: Listener) {
    this.listeners.get(type)?.delete(listener);
  }
  /** Events bubble. */
  fire(type: string, more: object = {}) {
    let isStopped = false;
    const event = {
      type,
      target: this as FakeNode,
      currentTarget: this as FakeNode,
      preventDefault() {},
      stopPropagation() {
        isStopped = true;
      },
      ...more,
    };
    for (let node: FakeNode | null = this; node && !isStopped; node = node.parentNode) {
      event.currentTarget = node;
      for (const listener of node.listeners.get(type) ?? []) listener.call(node, event);
    }
  }
  get children() {
    return this.childNodes.filter(({ nodeType }) => nodeType === 1);
  }
  get all(): FakeNode[] {
    const all: FakeNode[] = [];
    const collect = (of: FakeNode) => {
      for (const node of of.childNodes) {
        all.push(node);
        collect(node);
      }
    };
    collect(this);
    return all;
  }
  focus() {
    fakeDocument.activeElement = this;
  }
  attachShadow() {
    this.shadowRoot = new FakeNode('shadow');
    return this.shadowRoot;
  }
  replaceChildren(...nodes: FakeNode[]) {
    this.childNodes = nodes;
  }
  close() {
    if (this.open) this.fire('close');
    this.open = false;
  }
  showModal() {
    this.open = true;
  }
  closest(): null {
    return null;
  }
  querySelector(): null {
    return null;
  }
  querySelectorAll(): FakeNode[] {
    return [];
  }
  getBoundingClientRect() {
    return { top: 0, bottom: 0 };
  }
  setRangeText(code: string) {
    this.value = `${this.value}${code}`;
  }
  dispatchEvent({ type }: Event) {
    this.fire(type);
  }
  select() {}
  scrollIntoView() {}
}

// Preact checks each node for these properties.
for (const kind of kinds) FakeNode.prototype[`on${kind}`] = null;

const fakeDocument: { activeElement: FakeNode | null; [property: string]: unknown } = { activeElement: null };

/** Replaces the browser's globals until the test ends. */
export function usePage(): FakeNode {
  const body = new FakeNode('body');
  Object.assign(fakeDocument, {
    body,
    activeElement: body,
    documentElement: new FakeNode('html'),
    addEventListener: () => {},
    getElementById: () => null,
    querySelector: () => null,
    querySelectorAll: () => [],
    createElement: (name: string) => new FakeNode(name),
    createElementNS: (_: string, name: string) => new FakeNode(name),
    createTextNode: (text: string) => Object.assign(new FakeNode('#text', text), { nodeType: 3 }),
  });
  const all = {
    document: fakeDocument,
    location: { search: '' },
    history: { pushState: () => {}, replaceState: () => {} },
    addEventListener: () => {},
    removeEventListener: () => {},
    requestAnimationFrame: (then: () => void) => setTimeout(then),
    cancelAnimationFrame: clearTimeout,
    CSS: { escape: String },
    HTMLInputElement: class {},
    HTMLElement: class {},
    Element: FakeNode,
    CSSStyleSheet: class {
      replaceSync() {}
    },
  };
  for (const [name, value] of Object.entries(all)) vi.stubGlobal(name, value);
  onTestFinished(() => void vi.unstubAllGlobals());
  return body;
}
