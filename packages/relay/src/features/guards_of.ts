interface Guards {
  readonly signals?: ReadonlyMap<string, unknown> | undefined;
}

/** What a form says of spam, before what the top says for all; of signals, each before the one of its name. */
export function guardsOf<G extends Guards>(own: G | undefined, shared: G | undefined): Partial<G> {
  const guards = { ...shared, ...own } as Partial<G>;
  const isBoth = own?.signals && shared?.signals;
  return isBoth ? { ...guards, signals: new Map([...shared.signals, ...own.signals]) } : guards;
}
