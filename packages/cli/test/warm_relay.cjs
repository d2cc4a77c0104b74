/**
 * Runs `relay` commands, one after the other, in a process that has already loaded the program, because
 * starting Node takes longer than most commands. terminal.ts starts it with a FIFO, to which the shell's
 * `relay` writes its process id. Through /proc, it reads that process's arguments, folder and environment,
 * and opens its stdin, stdout and stderr, which are descriptors 4 to 6.
 */
const {
  closeSync,
  constants,
  createReadStream,
  fstatSync,
  openSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeSync,
} = require('node:fs');
const { Socket } = require('node:net');
const { dirname, join } = require('node:path');
const { Writable } = require('node:stream');

const [, , program, fifo] = process.argv;
const main = join(dirname(program), 'cli/main.cjs');
const globals = ['stdin', 'stdout', 'stderr', 'exit'].map((name) => [
  name,
  Object.getOwnPropertyDescriptor(process, name),
]);

/** Opens a file that another process writes to. */
function openOutput(path) {
  const { O_WRONLY, O_APPEND, O_NONBLOCK } = constants;
  try {
    return openSync(path, O_WRONLY | O_APPEND | O_NONBLOCK);
  } catch (error) {
    // The pipe's reader is gone.
    if (error.code === 'ENXIO') return undefined;
    throw error;
  }
}

/**
 * Opens the input that another process reads, at its current position. Opening a pipe would wait for a
 * writer, which may have ended.
 */
function openInput(path) {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  return fstatSync(fd).isFIFO()
    ? new Socket({ fd, readable: true, writable: false })
    : createReadStream('', { fd });
}

function writeAll(fd, bytes) {
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(fd, bytes, at);
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
      // The pipe is full: its reader is another process.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
}

/** A stream that writes synchronously, so that all output is there when the command ends. */
const printer = (fd) =>
  new Writable({
    write(bytes, _, done) {
      try {
        if (fd === undefined) throw Object.assign(new Error('write EPIPE'), { code: 'EPIPE' });
        writeAll(fd, bytes);
        done();
      } catch (error) {
        done(error);
      }
    },
  });

const endProcess = process.exit.bind(process);
const readNuls = (path) => readFileSync(path, 'utf8').split('\0').slice(0, -1);

/** Runs the command for a process, and sends back its exit code. */
async function runFor(pid) {
  const of = `/proc/${pid}`;
  const [, , ...words] = readNuls(`${of}/cmdline`);
  const [stdout, stderr] = [5, 6].map((fd) => openOutput(`${of}/fd/${fd}`));
  let stdin;
  process.argv = [process.execPath, program, ...words];
  process.chdir(readlinkSync(`${of}/cwd`));
  for (const name of Object.keys(process.env)) delete process.env[name];
  for (const pair of readNuls(`${of}/environ`))
    process.env[pair.split('=', 1)[0]] = pair.slice(pair.indexOf('=') + 1);
  process.exitCode = undefined;
  const listeners = process.eventNames().flatMap((name) => process.listeners(name));
  try {
    await new Promise((resolve, reject) => {
      const own = {
        stdin: () => (stdin ??= openInput(`${of}/fd/4`)),
        stdout: () => out,
        stderr: () => err,
        exit: () => exit,
      };
      const [out, err] = [printer(stdout), printer(stderr)];
      const exit = (code) => {
        process.exitCode = code ?? process.exitCode;
        resolve();
      };
      for (const [name, get] of Object.entries(own))
        Object.defineProperty(process, name, { get, configurable: true });
      process.once('uncaughtException', reject);
      // Runs the command's module again each time, but its imports only once.
      delete require.cache[main];
      // A write error is reported after the command has ended.
      require(main).ended.then(() => setImmediate(resolve), reject);
    });
    return process.exitCode ?? 0;
  } catch (error) {
    if (stderr !== undefined) writeAll(stderr, Buffer.from(`${error.stack}\n`));
    return 1;
  } finally {
    for (const [name, property] of globals) Object.defineProperty(process, name, property);
    for (const name of process.eventNames()) {
      for (const one of process.listeners(name)) if (!listeners.includes(one)) process.off(name, one);
    }
    stdin?.destroy();
    for (const fd of [stdout, stderr]) if (fd !== undefined) closeSync(fd);
  }
}

let last = Promise.resolve();

async function answer(pid) {
  const code = await runFor(pid);
  try {
    // The command's process keeps the other end open.
    const back = openSync(`${fifo}.${pid}`, constants.O_WRONLY | constants.O_NONBLOCK);
    writeSync(back, `${code}\n`);
    closeSync(back);
    rmSync(`${fifo}.${pid}`);
  } catch (error) {
    // ENXIO, ENOENT: the process has ended in the meantime.
    if (error.code !== 'ENXIO' && error.code !== 'ENOENT') throw error;
  }
}

let asked = '';
new Socket({ fd: openSync(fifo, constants.O_RDWR | constants.O_NONBLOCK), readable: true, writable: false })
  .setEncoding('utf8')
  .on('data', (text) => {
    const pids = (asked + text).split('\n');
    asked = pids.pop();
    for (const pid of pids) last = last.then(() => answer(pid));
  });
// This process ends with the tests that started it.
process.stdin.resume().on('end', () => {
  rmSync(dirname(fifo), { recursive: true, force: true });
  endProcess();
});
