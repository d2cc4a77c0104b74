// Verifies a receipt with the relay's public keys, as docs/receipts.md explains:
// const { keys } = await (await fetch('https://forms.example.com/api/v1/receipts.json')).json();
// await verify(code, { email: ['ada@example.org'], message: ['Hello'] }, keys);
export async function verify(code, fields, keys) {
  const bytes = (text) =>
    Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0));
  const utf8 = (text) => new TextEncoder().encode(text);
  const [signature, hash] = code.split('.').reverse();
  const signed = utf8(code.slice(0, code.lastIndexOf('.')));
  const content = utf8(JSON.stringify(Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1))));
  const isThis = new Uint8Array(await crypto.subtle.digest('SHA-256', content)).join() === bytes(hash).join();
  for (const { kty, crv, x } of keys) {
    const key = await crypto.subtle.importKey('jwk', { kty, crv, x }, 'Ed25519', false, ['verify']);
    if (isThis && (await crypto.subtle.verify('Ed25519', key, bytes(signature), signed))) return true;
  }
  return false;
}
