import type { UploadedFile } from '@form-relay/core/index';
import type { FilledIn } from '../filled_in.ts';

/** The content of a PDF. Labels are lines, and values are not empty: nothing in it misleads its reader. */
export interface Filed {
  /** BCP 47. */
  readonly language: string;
  readonly direction: 'ltr' | 'rtl';
  readonly title: string;
  /** When it came, and from which page. */
  readonly about: readonly FilledIn[];
  readonly entries: readonly FiledEntry[];
  /** In milliseconds since the epoch. */
  readonly receivedAt: number;
  /** The colour of the title and the rules, readable on white. */
  readonly accent: string | undefined;
  /** Above the title. */
  readonly logo: UploadedFile | undefined;
  readonly footer: string | undefined;
}

export interface FiledEntry extends FilledIn {
  /** Pictures among them are shown. */
  readonly files: readonly UploadedFile[];
}

export interface Written {
  readonly bytes: Buffer;
  /** Characters that no font has, and which are replaced. */
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
  /** Where all lines of the text begin, each read in its own direction. */
  readonly side: 'ltr' | 'rtl';
  readonly indent: number;
  readonly isLast: boolean;
}
