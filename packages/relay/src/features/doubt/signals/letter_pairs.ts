import followers from './letter_pairs.json' with { type: 'json' };

/**
 * Which letters follow which in words. Counted in programs' translations into 31 languages of Latin script, from Finnish to
 * Vietnamese, without accents: a pair stands here where it is one of a thousand in four of the languages, or one of five
 * hundred in one. Of random letters, 45 of a hundred pairs stand in none.
 */
const followersOf: Readonly<Record<string, string>> = followers;

/** How many of its pairs of letters are in no word. `undefined` if it has digits, or letters of other scripts. */
export function rarePairsIn(word: string): number | undefined {
  let rare = 0;
  for (let at = 0; at < word.length - 1; at += 1) {
    const after = followersOf[word.charAt(at)];
    if (after === undefined) return undefined;
    if (!after.includes(word.charAt(at + 1))) rare += 1;
  }
  return isLetter.test(word.slice(-1)) ? rare : undefined;
}

const isLetter = /^[a-z]$/;
