/**
 * The same mutants in minutes: all of an area are in one build of its files, switched off (as Stryker makes them), and
 * each test tries those that it passes, one after the other, without loading anything again (quick_runner.mjs). What no
 * test passes while it runs, runs as a module is loaded: that is tried from the start, as Stryker does. Takes the names
 * of areas; writes what survived to reports/mutation/<area>.quick.txt, and goes on where it was ended, unless the code
 * or the list of tests changed. Begin anew after working on tests: remove reports/mutation/<area>.quick.*.
 *
 * It differs from Stryker where what one test did stays for the next: a mutant in what a module keeps may survive here,
 * and a test that spoils what it shares with itself is said, and tries no more.
 */
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Instrumenter } from '@stryker-mutator/instrumenter';
import { createVitest } from 'vitest/node';
import { areas } from './areas.mjs';
