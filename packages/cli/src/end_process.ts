/** How often it is looked whether Node's threads are through, and how often at most: for half a second. */
const lookMs = 50;
const looks = 10;

/**
 * Ends the process, whatever is under way. `process.exit` waits for the threads that read files and look names up, and
 * one of them may hang for ever. Then SIGTERM ends the process, as it ends one that does not handle it. The kernel
 * spares process 1 of a container, which has to abort.
 */
export async function endProcess(): Promise<never> {
  for (let look = 0; isThreadBusy() && look < looks; look += 1) {
    await new Promise((resolve) => setTimeout(resolve, lookMs));
  }
  if (!isThreadBusy()) process.exit();
  process.removeAllListeners('SIGTERM');
  process.kill(process.pid, 'SIGTERM');
  process.abort();
}

const isThreadBusy = () =>
  process.getActiveResourcesInfo().some((name) => /^(FSReq|GetAddrInfoReq|GetNameInfoReq)/.test(name));
