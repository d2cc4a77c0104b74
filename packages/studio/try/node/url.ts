/** Stands in for `node:url` in a browser. */

/** A domain as the DNS has it; empty for what is none. */
export function domainToASCII(domain: string): string {
  if (/[\s/?#@:\\]/.test(domain)) return '';
  try {
    return new URL(`http://${domain}`).hostname;
  } catch {
    return '';
  }
}

/** nodemailer looks for both, and uses its own in place of the second. */
export default {
  domainToASCII,
  domainToUnicode: (domain: string): string => (domain.includes('xn--') ? '' : domain),
};
