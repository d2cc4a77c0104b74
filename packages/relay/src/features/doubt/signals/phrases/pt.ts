import type { PhrasesIn } from './phrases_in.ts';

export const pt: PhrasesIn = {
  approach: `
    visitei o seu site, visitei o vosso site, vi o seu site, encontrei o seu site, ao visitar o seu site,
    notei que não, notei que o seu, reparei que, empresas como a sua, negócios como o seu, somos uma
    agência, somos uma empresa de, somos fabricantes, oferecemos, ajudamos empresas, podemos aumentar,
    podemos ajudar, a nossa equipe, nossa agência
  `,
  goods: `
    seo, otimização de sites, primeira página do google, tráfego, marketing digital, criação de sites,
    sites, backlink*, guest post*, link dofollow, dofollow, troca de links, novos clientes, mais clientes,
    leads, listas de emails, lista de emails, contactos, base de dados, limpeza de escritórios,
    desenvolvimento de aplicativos, redes sociais
  `,
  bait: `
    gratuit*, grátis, sem compromisso, garantid*, garantia, a partir de, desconto, oferta, promoção,
    melhores preços, preços competitivos, por apenas, por 79
  `,
  ask: `
    está interessado, estaria interessado, se estiver interessado, tem interesse, posso enviar, podemos
    enviar, uma ligação rápida, uma chamada, responda a esta, clique aqui, saiba mais, entre em contato,
    inscreva se, whatsapp
  `,
  scam: `
    proposta de negócio, proposta de negócios, empréstimo urgente, precisa de empréstimo, oferecemos
    crédito, renda passiva, rendimento passivo, ganhe dinheiro, cassino online, casino online, bônus de
    boas vindas, rodadas grátis, ganhou um, listas de emails, milhão de contactos, milhões de contactos,
    milhões de sites
  `,
  hint: `
    herança, beneficiário, milhões de dólares, doação, viagra, sem receita, último aviso, será suspenso,
    juros de, com juros de, crédito pessoal, sem fiador, lista de emails, formulários de contato,
    formulários de contacto, para mais detalhes, criptomoedas, cliente falecido
  `,
  link: `
    backlink*, guest post*, link dofollow, dofollow, troca de links, artigo patrocinado
  `,
  mass: `
    não receber mais, para não receber, deixar de receber, responda sair
  `,
};
