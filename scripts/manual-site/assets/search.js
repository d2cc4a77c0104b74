// Searches the manual. A plain script, because a page opened from disk may not load modules.
(() => {
  /** Stop words: words of a question that say nothing about its answer. */
  const idle = new Set(
    'a an and are as at be by can do does for from get has have how i if in is it me my not of on only or so that the there this to was we what when where which who why will with you your'.split(
      ' ',
    ),
  );
  const processTerm = (term) => {
    const lower = term.toLowerCase();
    if (idle.has(lower)) return null;
    return lower.length > 3 && lower !== 'https'
      ? lower.replace(/ies$/, 'y').replace(/([^s])s$/, '$1')
      : lower;
  };
  const options = {
    processTerm,
    searchOptions: {
      fuzzy: (term) => (term.length > 4 ? 0.2 : false),
      prefix: (term) => term.length > 2,
      weights: { fuzzy: 0.2, prefix: 0.5 },
    },
  };

  /**
   * The manual's search: takes a question, returns the best results first.
   * @param pages `{address, title, isLast, sections: [[anchor, heading, text, words]], names: [[anchor, name, text]]}`
   */
  globalThis.createSearch = (MiniSearch, pages) => {
    const byPage = new MiniSearch({ ...options, fields: ['title', 'words', 'headings', 'text'] });
    const bySection = new MiniSearch({
      ...options,
      fields: ['heading', 'words', 'text'],
      storeFields: ['page'],
    });
    const sections = [];
    for (const [id, { title, sections: own }] of pages.entries()) {
      const column = (at) => own.map((section) => section[at]).join(' ');
      byPage.add({ id, title, words: column(3), headings: column(1), text: column(2) });
      for (const [anchor, heading, text, words] of own) {
        bySection.add({ id: sections.length, page: id, heading, words, text });
        sections.push({ anchor, heading, text });
      }
    }

    function resultAt(page, { anchor, heading, text }, terms) {
      const { address, title } = pages[page];
      return { address: heading === title ? address : `${address}#${anchor}`, title, heading, text, terms };
    }

    /** Pages that explain this name: exact capitals first, then headings before items, whose anchors have a dot. */
    function named(name) {
      const found = pages.flatMap(({ isLast, names }, page) =>
        (isLast ? [] : names)
          .filter(([, one]) => one.toLowerCase() === name.toLowerCase())
          .map(([anchor, heading, text]) => ({ page, anchor, heading, text })),
      );
      return found
        .toSorted(
          (one, other) =>
            (other.heading === name) - (one.heading === name) ||
            one.anchor.includes('.') - other.anchor.includes('.'),
        )
        .map((one) => resultAt(one.page, one, [name]));
    }

    /** Matching pages, each with its best section. Rarely wanted pages come last. */
    function answering(asked) {
      const best = new Map();
      for (const { id, page, terms } of bySection.search(asked, { boost: { heading: 4, words: 6 } }))
        if (!best.has(page)) best.set(page, { section: sections[id], terms });
      return byPage
        .search(asked, { boost: { title: 6, words: 8, headings: 3 } })
        .toSorted((one, other) => pages[one.id].isLast - pages[other.id].isLast)
        .filter(({ id }) => best.has(id))
        .map(({ id }) => resultAt(id, best.get(id).section, best.get(id).terms));
    }

    return (asked) => {
      const name = asked.replaceAll(/^`|[`:]+$/g, '').replace(/^relay /, '');
      // A query such as on_error or 413 is certainly a name; a word such as spam may also be a key.
      const isName = /[_:]|^[A-Z]+$|^\d{3}$|^relay /.test(asked);
      const found = answering(asked);
      const results = isName
        ? [...named(name).slice(0, 6), ...found]
        : [...found.slice(0, 2), ...named(name).slice(0, 3), ...found.slice(2)];
      const addresses = results.map(({ address }) => address);
      return results.filter(({ address }, at) => addresses.indexOf(address) === at).slice(0, 12);
    };
  };
})();
