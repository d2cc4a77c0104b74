/** A month of a shop that sells and repairs bicycles: what people ask, all kinds of spam, and a campaign that begins late. */
import { lehmer } from './messages.ts';

export interface Written {
  readonly name: string;
  readonly email: string;
  readonly message: string;
}

/** Replaces `{slot}` with one of the slot's words until none is left, so that slots can nest. */
function filler(slots: Readonly<Record<string, string>>, seed: number) {
  const random = lehmer(seed * 1_000_003);
  const oneOf = (words: string) => {
    const all = words.split('|');
    return all[Math.floor(random() * all.length)] ?? '';
  };
  const fill = (text: string): string =>
    text.replaceAll(/\{(\w+)\}/g, (_, slot: string) =>
      slot === 'nr' ? String(Math.floor(2 + random() * 97)) : fill(oneOf(slots[slot] ?? slot)),
    );
  return { oneOf, fill };
}

const names =
  'Ada Brown|Ben Okafor|Clara Weiss|Dan Murphy|Elif Kaya|Frank Olsen|Grace Lee|Hugo Martin|Iris Novak|Jonas Berg|Karin Holm|Liam Walsh|Maria Silva|Nina Petrova|Omar Haddad|Paula Jung|Rosa Conti|Sam Taylor|Tom Becker|Uma Patel|Vera Lang|Will Adams|Yuki Mori|Zoe Clark';

const questions = {
  hello: 'Hello,|Hi,|Hi there,|Good morning,|Dear all,|Hello, ||Good evening.|Hey,',
  bye: 'Thanks|Thank you!|Kind regards|Best wishes, {first}|Many thanks, {first}||Cheers|See you, {first}|Thank you for your help.',
  first: 'Ada|Ben|Clara|Dan|Elif|Frank|Grace|Hugo|Iris|Jonas|Karin|Liam|Maria|Nina|Omar',
  day: 'Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|the weekend|tomorrow|next week|the 14th|the end of the month',
  when: 'in the morning|after five|at lunch time|before ten|in the afternoon|early',
  bike: 'touring bike|city bike|old road bike|e-bike|cargo bike|mountain bike|folding bike|gravel bike|tandem|bike for my daughter|bike for my father|racing bike from the eighties|single speed',
  part: 'rear brake|front brake|gear hub|chain|saddle|pedal|back wheel|front light|dynamo|headset|bottom bracket|mudguard|battery|display|derailleur|inner tube|left crank|bell|pannier rack|kick stand',
  fault:
    'squeaks|is loose|slips|is bent|does not hold|makes a grinding noise|broke yesterday|is stuck|rattles on cobbles|went flat again|stopped working in the rain|is worn out|rubs on one side',
  size: 'size {nr}|size M|size L|a 54 frame|28 inches|20 inches|the small one|the large one',
  colour: 'blue|green|black|the dark red|white|silver|the matt grey',
  place:
    'Cologne|the station|the harbour|our village|Mill Street|the school|Bonn|the other side of the river|the camp site',
  story:
    'I ride to work every day.|It is {nr} years old, I think.|My brother recommended you.|I was in your shop last week.|We are a family of four.|It still has warranty.|A friend bought hers from you.|I do not know much about bikes.|I tried to call but nobody answered.|It was raining a lot.|I have had it since school.|My old one was stolen.|We moved here in spring.|It stood in the cellar for a long time.|I need it for a trip to the coast.|My knee is not what it was.|The children are five and eight.|Last time it took two days.|I do not mind waiting.|It is urgent because I have no car.|I can pay in cash.|There is no lift in our house.',
  ask: 'Could I bring it on {day} {when}?|What would that cost, roughly?|How long does it take?|Do you have {size} in {colour}?|Can you order it?|Is it worth mending?|Can I come by on {day}?|Could you call me back {when}?|Do I need an appointment?|Is {colour} still in stock?|Do you take the old one in part exchange?|Can you deliver to {place}?|Are you open on {day}?|Could you have a look at it?|Can I try it first?|Would {size} fit someone who is 1.{nr} m?|Can you keep one for me until {day}?|Do you have a spare one to lend me?|What do you think?|Which one would you take?',
  opening:
    'the {part} of my {bike} {fault}.|I am looking for a {bike} in {colour}.|my order {nr}{nr} has not arrived yet, it should have been here by {day}.|do you also mend a {bike}? The {part} {fault}.|I would like to cancel the appointment on {day}.|I bought a {bike} from you and the {part} {fault}.|you have a {bike} in the window, {colour}.|we want to hire {nr} bikes for {day}.|do you sell a {part} for a {bike}?|I left my {bike} with you on {day} and have not heard anything.|the invoice {nr}{nr} has the wrong address on it, please send it again to {place}.|I ordered {size} but got {colour} instead of what I wanted.|is the course about mending a {part} on {day} fully booked?|I found a key in front of your shop near {place}.|thank you for mending the {part} so quickly, my {bike} runs like new.|I would like to return the {part} that I bought, it does not fit my {bike}.|can you check the {part} before winter? It {fault}.|do you have work for a student {when}? I know how to change a {part}.|your website shows the {part} twice with different prices.|my {bike} was stolen near {place}, the frame number ends in {nr}{nr}. Please tell me if somebody brings it.',
};

/** @param seed Another seed gives other messages. */
export const people = (seed: number, count: number): readonly Written[] => {
  const { oneOf, fill } = filler(questions, seed);
  return Array.from({ length: count }, (_, nth) => {
    const name = oneOf(names);
    const shape = oneOf(
      '{hello} {opening} {ask} {bye}|{hello} {opening} {story} {ask} {bye}|{opening} {ask}|{hello} {story} {opening} {ask} {ask} {bye}|{opening} {story} {bye}',
    );
    return {
      name,
      email: `${name.toLowerCase().replace(' ', '.')}${nth}@example.org`,
      message: fill(shape).trim(),
    };
  });
};

const sold = {
  hello:
    'Hello,|Dear Sir or Madam,|Hi there,|Good day|Greetings,|Dear business owner,|Hello dear friend|Attention!',
  site: 'https://win-{nr}.example/now|https://fast{nr}.example|http://best-{nr}.example/offer|www.top{nr}.example',
  body: 'Earn {nr}0 dollars a day with our trading robot, no experience needed, guaranteed income: {site}|Hot girls in your city want to meet you tonight {site}|Get a loan up to {nr} thousand euros without credit check within 24 hours {site}|Cheap viagra and cialis without prescription, discreet shipping {site}|Best online casino, {nr} free spins and a welcome bonus for new players {site}|We place guest posts on sites with high domain authority, do follow links from {nr} dollars {site}|Bitcoin doubled within a week, join {nr} happy investors {site}|Buy {nr} verified email addresses of companies in your country {site}|Replica watches and handbags at factory prices, {nr} models {site}|Your computer may be infected, call our certified technicians now {site}|You are the heir of {nr} million dollars left by a late client of our bank, reply in confidence|Increase your followers by {nr} real accounts within a day {site}|We found {nr} errors on your website that keep it off the first page of Google {site}|Crypto giveaway: send one coin, receive two, ends today {site}|Lose {nr} pounds in a month with this simple trick doctors hate {site}',
  end: 'Act now.|Limited time only!|Reply today.|Do not miss it.|Unsubscribe here {site}||100 % satisfaction|Only {nr} places left',
};

export const spam = (seed: number, count: number): readonly Written[] => {
  const { oneOf, fill } = filler(sold, seed);
  return Array.from({ length: count }, (_, nth) => ({
    name: oneOf(names),
    email: `offer${seed}${nth}@example.net`,
    message: fill('{hello} {body} {end}').trim(),
  }));
};

/** A polite offer of photography: each copy has its own sender, wording, link and order of sentences. */
const offered = {
  hello: 'Hello,|Hi,|Good morning,|Hello there,|Dear team,',
  came: 'I came across your shop while looking for local businesses.|I found your website this week and had a look around.|I saw your shop online and liked it.|While browsing shops in your area I noticed yours.',
  who: 'I run a small studio that takes product photographs for shops.|We are a small studio, and product photography for online shops is what we do.|My studio photographs products for shops like yours.|Our team takes product photographs for small shops and their catalogues.',
  why: 'Good pictures bring more buyers to a catalogue.|Better product photographs help a catalogue sell more.|With clear pictures, customers of a catalogue decide faster.|Shops with good product photographs sell noticeably more.',
  deal: 'We would photograph the first {few} products free of charge.|The first {few} product photographs would be free for you.|To start with, we offer {few} photographs at no cost.|You would get {few} sample photographs free of charge.',
  few: 'three|four|five|six|ten',
  look: 'Some of our work is at https://{studio}.example/{page}|You can see our portfolio here: https://{studio}.example/{page}|Our latest catalogue pictures: https://{studio}.example/{page}',
  studio: 'brightlens|studio-nord|clearshot|lumen{nr}|pixelroom|whitebox{nr}|framework-foto|daylight{nr}',
  page: 'work|portfolio|{nr}|shops|recent',
  close:
    'Would you be interested in a short call?|Shall I send you our price list?|May I send you a few examples?|Let me know if this sounds interesting.',
  bye: 'Best regards|Kind regards|With best wishes|Thank you for your time',
};

export const campaign = (seed: number, count: number): readonly Written[] => {
  const { oneOf, fill } = filler(offered, seed);
  return Array.from({ length: count }, (_, nth) => ({
    name: oneOf(names),
    email: `studio${nth}@mail${nth % 7}.example`,
    message: fill(
      oneOf(
        '{hello} {came} {who} {why} {deal} {look} {close} {bye}|{hello} {who} {came} {deal} {close} {look} {bye}|{hello} {came} {why} {who} {deal} {look} {close} {bye}',
      ),
    ),
  }));
};
