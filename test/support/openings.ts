/** Finds sentences whose first word names no subject, in Markdown and sources (CONTRIBUTING.md). */

/** A sentence, with the line on which its block starts. */
export interface Sentence {
  readonly line: number;
  readonly text: string;
}

const words = 'of|who|whom|whose|whoever|what|whatever|nobody|one|those|such|its|they|it';
const capital = words.replaceAll(/(?:^|\|)./g, (start) => start.toUpperCase());
const opening = new RegExp(`^(?:${capital})\\b(?!-)`);
const anyCase = new RegExp(opening.source, 'i');
/** In lower case, `of`, `such` and `one` may also start a part of a message. */
const inMessage = new RegExp(`^(?:${capital}|${words.replaceAll(/\b(?:of|one|such)\|/g, '')})\\b(?!-)`);

/** Characters that may precede the first word. */
const marks = /^(?:[\s*_“"‘'(–—]|\[[ x]\])+/;

/** A question may start with any word. */
const isQuestion = (text: string) => /\?["”)*]*(?:$|,)/.test(text.trim());

const sentencesOf = (text: string): readonly string[] => text.split(/(?<=[.!?:;]["”)*]*)\s+(?=["“(*]*[A-Z])/);

function openingsOf(text: string, first: RegExp): readonly string[] {
  return sentencesOf(text).filter(
    (one, index) => (index === 0 ? first : opening).test(one.replace(marks, '')) && !isQuestion(one),
  );
}

/** Checks the prose of a Markdown file: no samples, headings, table heads or bold titles. */
export function openingsInMarkdown(source: string): readonly Sentence[] {
  const blank = (block: string) => block.replaceAll(/[^\n]/g, '');
  const prose = source
    .replaceAll(/^([ \t]*)(```+|~~~+)[\s\S]*?^[ \t]*\2[ \t]*$/gm, blank)
    .replaceAll(/<!--[\s\S]*?-->/g, blank)
    .replaceAll(/^#.*$|^\|.*\n(?=\|[ :|-]+$)/gm, blank);
  const found: Sentence[] = [];
  let block: { line: number; text: string } | undefined;
  const end = () => {
    if (block) for (const text of openingsOf(block.text, opening)) found.push({ line: block.line, text });
    block = undefined;
  };
  for (const [index, written] of prose.split('\n').entries()) {
    const line = index + 1;
    const item = /^\s*(?:>\s?)*\s*(?:[-*+]|\d+\.)\s+(.*)$/.exec(written)?.[1];
    if (/^\s*\|/.test(written)) {
      end();
      for (const cell of written.split(/(?<!\\)\|/))
        for (const text of openingsOf(cell.trim(), opening)) found.push({ line, text });
    } else if (item !== undefined || written.trim() === '') {
      end();
      block = item === undefined ? undefined : { line, text: item };
    } else
      block = block ? { ...block, text: `${block.text} ${written.trim()}` } : { line, text: written.trim() };
  }
  end();
  return found.filter(({ text }) => !/^\*\*[^*]+\*\*:?$/.test(text));
}

/** Checks comments, test titles, and texts of at least three words. */
export function openingsInSource(source: string, isTest: boolean) {
  const { comments, strings, code } = scan(source);
  const lineAt = lineCounter(source);
  const of = (all: readonly Found[], first: RegExp) =>
    all.flatMap(({ at, text }) => openingsOf(text, first).map((one) => ({ line: lineAt(at), text: one })));
  const title = /\b(?:test|describe)(?:\.\w+(?:\([^()]*(?:\([^()]*\)[^()]*)*\))?)*\(\s*$/;
  const titles = strings.filter(({ at }) => isTest && title.test(code.slice(Math.max(0, at - 300), at)));
  const said = isTest ? [] : [...strings, ...jsxTexts(code)].filter(({ text }) => /\S\s+\S+\s+\S/.test(text));
  return { comments: of(comments, opening), titles: of(titles, anyCase), messages: of(said, inMessage) };
}

interface Found {
  readonly at: number;
  readonly text: string;
}

function lineCounter(source: string): (at: number) => number {
  return (at) => source.slice(0, at).split('\n').length;
}

/** A comment, a string, a template, or a regular expression where a value may start. */
const token =
  /(?<block>\/\*[\s\S]*?\*\/)|(?<lines>\/\/[^\n]*(?:\n[ \t]*\/\/[^\n]*)*)|(?<string>'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*")|(?<template>`(?:\\[\s\S]|\$\{(?:[^{}`]|\{[^{}]*\}|`(?:\\.|[^`\\])*`)*\}|[^`\\])*`)|(?<regex>(?<=(?:[(,=:[!&|?{};>]|return|case)\s*)\/(?![*/\s])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/)/g;

function scan(source: string) {
  const comments: Found[] = [];
  const strings: Found[] = [];
  const code = source.replaceAll(token, (whole, ...rest) => {
    const groups: Record<string, string | undefined> = rest.at(-1);
    const at: number = rest.at(-3);
    if (groups.block ?? groups.lines) {
      const plain = whole.replaceAll(/^\s*(?:\/\*\*?|\*\/|\*|\/\/) ?|\*\/$/gm, ' ').replaceAll(/\s+/g, ' ');
      if (!/biome-ignore|@ts-/.test(plain)) comments.push({ at, text: plain.trim() });
    } else if (groups.regex === undefined) {
      const text = whole
        .slice(1, -1)
        .replaceAll(/\$\{(?:[^{}]|\{[^{}]*\})*\}/g, 'X')
        .replaceAll(/\\n/g, ' ')
        .replaceAll(/\\(.)/g, '$1')
        .replaceAll(/\s+/g, ' ');
      strings.push({ at, text });
    }
    return whole.replaceAll(/[^\n]/g, ' ');
  });
  return { comments, strings, code };
}

/** Texts between tags, in sources with JSX. */
const jsxTexts = (code: string): readonly Found[] =>
  [...code.matchAll(/(?<=>)[^<>{}=;()]*[A-Za-z][^<>{}=;()]*(?=[<{])/g)].map((match) => ({
    at: match.index,
    text: match[0].replaceAll(/\s+/g, ' ').trim(),
  }));
