/** The tags of a DMARC or DKIM record, such as `v=DMARC1; p=none`, by name in lower case (RFC 6376, 3.2). */
export const tagsOf = (record: string): ReadonlyMap<string, string> =>
  new Map(
    record.split(';').map((tag) => {
      const [name = '', ...value] = tag.split('=');
      return [name.trim().toLowerCase(), value.join('=').trim()];
    }),
  );
