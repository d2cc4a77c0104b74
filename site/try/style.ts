/** What the page has beside the playground's own style. */
export const moreStyle = `
header .actions{display:flex;gap:.5rem;margin:0;align-items:center}
#linked{flex-basis:100%;margin:0}
#linked:empty{display:none}
footer{padding:0 1rem 2rem;color:var(--soft)}
`;
