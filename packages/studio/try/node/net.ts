/** Stands in for `node:net` in a browser: what an IP address is. */

export const isIPv4 = (text: string): boolean =>
  /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/.test(text) && !/(?:^|\.)0\d/.test(text);

/** As the browser's own parser of addresses has it. A zone may follow, as in `fe80::1%eth0`. */
export function isIPv6(text: string): boolean {
  const [address = '', ...zones] = text.split('%');
  if (!/^[\da-f:.]*:[\da-f:.]*$/i.test(address) || zones.length > 1 || zones[0] === '') return false;
  try {
    new URL(`http://[${address}]/`);
    return true;
  } catch {
    return false;
  }
}

export const isIP = (text: string): 0 | 4 | 6 => (isIPv4(text) ? 4 : isIPv6(text) ? 6 : 0);
