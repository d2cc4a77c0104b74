/** Fewer characters could be guessed from a token. */
const leastLength = 16;
const leastDifferent = 6;
const placeholders = ['changeme', 'secret', 'password', 'placeholder', 'example', 'replace'];

/** Why a secret is guessable, without revealing it. `undefined` if it looks random. */
export function weaknessOf(secret: string): string | undefined {
  if (secret.trim() === '') return 'is only white space';
  if (secret.length < leastLength)
    return `has ${secret.length} ${secret.length === 1 ? 'character' : 'characters'}, which can be guessed`;
  if (new Set(secret).size < leastDifferent) return 'repeats a few characters, which can be guessed';
  const letters = secret.toLowerCase().replaceAll(/[^a-z]/g, '');
  return placeholders.some((word) => letters.includes(word)) ? 'looks like a placeholder' : undefined;
}
