/** What the page has beside the studio's own style. */
export const moreStyle = `
header .actions{display:flex;gap:.5rem;margin:0;align-items:center;min-width:0;max-width:100%}
#sample{min-width:0;flex:1 1 12rem;max-width:16rem}
#linked{order:1;flex-basis:100%;margin:0;overflow-wrap:anywhere}
#linked:empty{display:none}
footer{flex:none;max-height:40vh;overflow:auto;padding:.5rem 1rem;font-size:.8125rem;color:var(--soft);border-top:1px solid var(--line)}
footer ul{margin-top:.25rem;max-width:75ch}
`;
