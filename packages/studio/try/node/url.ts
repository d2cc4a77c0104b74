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

/** Whoever looks for both takes its own of the second (nodemailer). */
export default {
  domainToASCII,
  domainToUnicode: (domain: string): string => (domain.includes('xn--') ? '' : domain),
};
