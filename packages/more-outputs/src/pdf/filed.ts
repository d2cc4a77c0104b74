import type { UploadedFile } from '@form-relay/core/index';
import type { FilledIn } from '../filled_in.ts';

/** The content of a PDF. Labels are single lines, and values are not empty, so that nothing misleads the reader. */
export interface Filed {
  /** BCP 47. */
  readonly language: string;
  readonly direction: 'ltr' | 'rtl';
  readonly title: string;
  /** When the submission arrived, and from which page. */
  readonly about: readonly FilledIn[];
  readonly entries: readonly FiledEntry[];
  /** In milliseconds since the epoch. */
  readonly receivedAt: number;
  /** The colour of the title and the rules, readable on white. */
  readonly accent: string | undefined;
  /** Shown above the title. */
  readonly logo: UploadedFile | undefined;
  readonly footer: string | undefined;
}

export interface FiledEntry extends FilledIn {
  /** Images among the files are shown. */
  readonly files: readonly UploadedFile[];
}

export interface Written {
  readonly bytes: Buffer;
  /** How many characters were replaced because no font has them. */
  readonly missing: number;
}

export const styles = {
  title: { size: 20, color: '#1b1b1f', tag: 'H1' },
  about: { size: 9.5, color: '#55555f', tag: 'P' },
  label: { size: 9.5, color: '#55555f', tag: 'Lbl' },
  value: { size: 11, color: '#1b1b1f', tag: 'LBody' },
} as const;
export type Style = Omit<(typeof styles)[keyof typeof styles], 'color'> & { readonly color: string };

export const lineHeight = ({ size }: Style) => size * 1.45;

export interface Place {
  /** The side on which all lines of the text start, whatever their direction. */
  readonly side: 'ltr' | 'rtl';
  readonly indent: number;
  readonly isLast: boolean;
}
