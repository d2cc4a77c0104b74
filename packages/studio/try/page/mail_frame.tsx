/** Takes the place of the studio's own mail_frame.tsx: the mail is written into a frame of an origin of its own. */
import { useEffect, useRef } from 'preact/hooks';
import type { FramedMail } from '../../app/mail_frame.tsx';
import { mailAddress } from '../../src/mails.ts';
import { load } from './frames.ts';
import { ask } from './relay.ts';

const policy = "default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'";

export function MailFrame({ number, index, scheme, title }: FramedMail) {
  const frame = useRef<HTMLIFrameElement>(null);
  useEffect(() => {
    if (frame.current) void show(frame.current, mailAddress(number, index, scheme));
  }, [number, index, scheme]);
  // The frame's own page runs a script; its policy keeps the mail's from running.
  return <iframe ref={frame} title={title} class={scheme} sandbox="allow-scripts" />;
}

async function show(frame: HTMLIFrameElement, address: string): Promise<void> {
  const [framed, answer] = await Promise.all([load(frame), ask(address)]);
  if (answer?.ok) framed.post({ kind: 'show', markup: answer.text, policy });
}
