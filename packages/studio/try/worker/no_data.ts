/** Takes the place of the studio's own data.ts: the page has this data as files (page/data.ts). */
export const data = {};
