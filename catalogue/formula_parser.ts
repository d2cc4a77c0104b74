/** Parses formulas of computed fields. Errors say what is wrong, and where. */
import { decimal, type Expression } from './formula.ts';

const longest = 1_000;
export const mostDigits = 10;

/** The functions, with the minimum and maximum number of values. */
const functions: Readonly<Record<string, readonly [least: number, most: number]>> = {
  sum: [1, longest],
  min: [1, longest],
  max: [1, longest],
  round: [1, 2],
  if: [3, 3],
  count: [1, 1],
};

/** Higher levels bind tighter. */
const levels: Readonly<Record<string, number>> = {
  ...{ '=': 1, '!=': 1, '<': 1, '<=': 1, '>': 1, '>=': 1 },
  ...{ '+': 2, '-': 2, '*': 3, '/': 3 },
};

const otherSigns: Readonly<Record<string, string>> = {
  ...{ '×': '*', '÷': '/', '−': '-' },
  ...{ '≤': '<=', '≥': '>=', '≠': '!=', '<>': '!=', '==': '=' },
};

/** A number, a quoted name, a name, a two-character operator, or any other character. */
const token = /\d[\d.]*|\.\d[\d.]*|"[^"]*"|'[^']*'|[\p{L}_][\p{L}\p{N}_.]*|[<>!=]=|<>|\S/gu;

const operation = (does: string, ...operands: readonly Expression[]): Expression => ({
  does,
  with: operands,
});

export function parseFormula(source: string): Expression {
  if (source.length > longest) throw new Error(`a formula can have at most ${longest} characters`);
  const tokens = [...source.matchAll(token)];
  let at = 0;
  const next = () => tokens[at]?.[0] ?? '';
  const nextSign = () => otherSigns[next()] ?? next();
  const fail = (says: string, index = at): never => {
    const found = tokens[index];
    throw new Error(found ? `${says}: "${found[0]}" is character ${found.index + 1}` : `${says} at the end`);
  };
  const expect = (sign: string) => {
    if (next() !== sign) fail(`expected an operator or ${sign}`);
    at += 1;
  };

  const joined = (least: number): Expression => {
    let expression = value();
    for (let sign = nextSign(); (levels[sign] ?? 0) >= least; sign = nextSign()) {
      at += 1;
      expression = operation(sign, expression, joined((levels[sign] ?? 0) + 1));
    }
    return expression;
  };

  const value = (): Expression => {
    const sign = nextSign();
    const text = next();
    at += 1;
    if (sign === '-') return operation('-', '0', value());
    if (sign === '+') return value();
    if (sign === '(') {
      const inside = joined(1);
      expect(')');
      return inside;
    }
    if (/^\.?\d/.test(text)) return decimal(text) === undefined ? fail('this is not a number', at - 1) : text;
    if (/^(".*"|'.*')$/.test(text)) return operation('field', text.slice(1, -1));
    if (/^[\p{L}_]/u.test(text)) return next() === '(' ? called(text) : operation('field', text);
    return fail('expected a number, a field or a parenthesis', at - 1);
  };

  const called = (name: string): Expression => {
    const place = at - 1;
    const [least, most] = functions[name] ?? fail(`expected ${Object.keys(functions).join(', ')}`, place);
    const operands: Expression[] = [];
    do {
      at += 1;
      operands.push(joined(1));
    } while (next() === ',');
    expect(')');
    if (operands.length < least || operands.length > most)
      fail(`expected ${least === most ? least : `${least} or ${most}`} values`, place);
    const [first = '', digits = '0'] = operands;
    if (name === 'round') {
      const isDigits = typeof digits === 'string' && /^\d+$/.test(digits) && Number(digits) <= mostDigits;
      return isDigits
        ? operation(name, first, digits)
        : fail(`expected a whole number of digits from 0 to ${mostDigits}`, place);
    }
    if (name !== 'count') return operation(name, ...operands);
    const isField = typeof first !== 'string' && first.does === 'field';
    return isField ? operation(name, ...first.with) : fail('expected the name of a repeated field', place);
  };

  const expression = joined(1);
  return at < tokens.length ? fail('expected an operator') : expression;
}
