/** Who of several bodies with files has a place, and who loses it. */
import { expect, test } from 'vitest';
import { createUploadRoom } from '../../packages/relay/src/street/upload_room.ts';

/** As slow as may be, and a byte less. */
const steady = 65_536;

function staged(limit: number) {
  const world = { now: 5_000, reached: 0 };
  const room = createUploadRoom(
    limit,
    () => world.now,
    () => {
      world.reached += 1;
    },
  );
  const lost: string[] = [];
  return {
    world,
    room,
    lost,
    /** Notes what is taken when it is given up. */
    enter: (name: string, bytes: number) =>
      room.enter(bytes, () => {
        lost.push(`${name}, ${room.taken} left`);
      }),
  };
}

/** A place, or the test fails. */
function taken<T>(place: T | undefined): T {
  if (place === undefined) throw new Error('there was no room');
  return place;
}

test('bodies have places up to the limit, which is told when it is reached, and give them back once', () => {
  const { room, enter, world } = staged(100);
  expect(room.taken).toBe(0);
  const first = taken(enter('first', 60));
  expect(taken(enter('second', 40))).toBeDefined();
  expect([room.taken, world.reached]).toEqual([100, 0]);
  expect(enter('third', 1)).toBe(undefined);
  expect([room.taken, world.reached]).toEqual([100, 1]);
  first.leave();
  first.leave();
  expect(room.taken).toBe(40);
  expect(taken(enter('third', 60))).toBeDefined();
  expect(room.taken).toBe(100);
});

test('a body grows where there is room, and else keeps what it has', () => {
  const { room, enter, lost } = staged(100);
  const first = taken(enter('first', 10));
  taken(enter('second', 50));
  expect(first.grow(50)).toBe(true);
  expect(room.taken).toBe(100);
  expect(first.grow(51)).toBe(false);
  expect(room.taken).toBe(100);
  first.leave();
  expect(room.taken).toBe(50);
  expect(lost).toEqual([]);
});

test('whoever is slow makes room for others, the slowest first, and no more of them than need to', () => {
  const { world, room, enter, lost } = staged(90);
  const [slow, slower, slowest] = ['slow', 'slower', 'slowest'].map((name) => taken(enter(name, 30)));
  world.now += 2_000;
  slow?.receive(steady / 2);
  slow?.receive(steady / 2 - 1);
  slower?.receive(2);
  slowest?.receive(1);
  taken(enter('fast', 60));
  expect(lost).toEqual(['slowest, 60 left', 'slower, 30 left']);
  expect(room.taken).toBe(90);
  // What they still do changes nothing.
  slowest?.leave();
  expect(room.taken).toBe(90);
});

test('nobody loses a place who sends fast enough, who began a moment ago, or whose body came whole', () => {
  const { world, enter, lost } = staged(90);
  const fast = taken(enter('fast', 30));
  taken(enter('whole', 30)).complete();
  world.now += 1_000;
  taken(enter('new', 30));
  world.now += 1_000;
  fast.receive(steady);
  expect(enter('another', 1)).toBe(undefined);
  expect(lost).toEqual([]);
  // A millisecond later both have less than they should.
  world.now += 1;
  taken(enter('another', 1));
  expect(lost).toEqual(['new, 60 left']);
});

test('nobody loses a place where that would not be enough', () => {
  const { world, room, enter, lost } = staged(100);
  taken(enter('whole', 60)).complete();
  taken(enter('slow', 40));
  world.now += 60_000;
  expect(enter('large', 41)).toBe(undefined);
  expect(lost).toEqual([]);
  expect(room.taken).toBe(100);
  taken(enter('fits', 40));
  expect(lost).toEqual(['slow, 60 left']);
});

test('who grows pushes out others, and never itself', () => {
  const { world, room, enter, lost } = staged(100);
  const growing = taken(enter('growing', 40));
  taken(enter('other', 60));
  world.now += 60_000;
  expect(growing.grow(101)).toBe(false);
  expect(lost).toEqual([]);
  expect(growing.grow(100)).toBe(true);
  expect(lost).toEqual(['other, 40 left']);
  expect(room.taken).toBe(100);
});
