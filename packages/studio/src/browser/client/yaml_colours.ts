/** YAML in colours: keys, strings, comments and templates, and where something is wrong. */
export interface Mark {
  line: number;
  column: number;
  length: number;
  severity: string;
}

const parts =
  /(?<comment>(?:^|(?<=\s))#.*$)|(?<template>\{\{.*?\}\})|(?<string>"(?:[^"\\]|\\.)*"|'(?:[^']|'')*')|(?<name>[\w.$*-]+(?=:(?:\s|$)))/g;

/** The class of each stretch of a line, as a list of where it changes. */
const stretches = (line: string): [from: number, to: number, name: string][] => {
  const found: [number, number, string][] = [];
  for (const match of line.matchAll(parts)) {
    const [name = ''] = Object.entries(match.groups ?? {}).find(([, text]) => text !== undefined) ?? [];
    found.push([match.index, match.index + match[0].length, name]);
  }
  return found;
};

const span = (text: string, ...names: (string | undefined)[]) => {
  const element = document.createElement('span');
  element.className = names.filter(Boolean).join(' ');
  element.textContent = text;
  return element;
};

/** One line, cut wherever its colour or its mark changes. */
const paintLine = (line: string, marks: readonly Mark[]): (Node | string)[] => {
  const colours = stretches(line);
  const wrong = marks.map(({ column, length, severity }): [number, number, string] => {
    const from = Math.min(column - 1, Math.max(0, line.length - 1));
    return [from, Math.min(line.length, from + length), severity === 'warning' ? 'warning' : 'bad'];
  });
  const cuts = [0, ...[...colours, ...wrong].flatMap(([from, to]) => [from, to] as number[]), line.length];
  const places = [...new Set(cuts)].sort((a, b) => a - b);
  return places.slice(0, -1).map((from, index) => {
    const text = line.slice(from, places[index + 1]);
    const nameOf = (all: [number, number, string][]) => all.find(([a, b]) => a <= from && from < b)?.[2];
    const names = [nameOf(colours), nameOf(wrong)];
    return names.some(Boolean) ? span(text, ...names) : text;
  });
};

/** An element for each line. */
export const paint = (text: string, marks: readonly Mark[]): HTMLElement[] =>
  text.split('\n').map((line, index) => {
    const wrong = marks.filter((mark) => mark.line === index + 1);
    const element = document.createElement('div');
    const isBad = wrong.some(({ severity }) => severity === 'error');
    element.className = wrong.length === 0 ? 'line' : `line ${isBad ? 'has-bad' : 'has-warning'}`;
    element.append(...paintLine(line, wrong), '\n');
    return element;
  });
