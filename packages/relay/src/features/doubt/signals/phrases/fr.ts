import type { PhrasesIn } from './phrases_in.ts';

export const fr: PhrasesIn = {
  approach: `
    en visitant votre site, en naviguant sur votre site, j ai visité votre site, nous avons visité votre
    site, en parcourant votre site, je suis tombé sur votre site, j ai remarqué qu, j ai remarqué que votre,
    j ai constaté que, nous avons remarqué, votre site semble, votre site n est pas, votre site internet n,
    entreprises comme la vôtre, notre agence est, notre agence, notre équipe peut, nous sommes une agence,
    nous sommes spécialisés, nous sommes une entreprise, nous sommes fabricant*, nous proposons nos, nous
    proposons un, nous vous proposons, nous pouvons le refondre, nous pouvons vous, nous aidons les, nous
    générons, nous souhaitons publier, avez vous de la place, vous cherchez des clients, je me permets de
    vous contacter
  `,
  goods: `
    référencement, référencement naturel, seo, première page de google, première page, trafic, création de
    site*, site internet à partir, refonte de, refondre, backlink*, échange de liens, article* invité*,
    article* sponsorisé*, articles invités ou sponsorisés, lien dofollow, dofollow, netlinking, nouveaux
    clients, rendez vous qualifiés, prospects, génération de leads, fichiers emails, fichiers e mails, base
    de données, contacts d entreprises, nettoyage de bureaux, marketing digital, agence web, réseaux
    sociaux, vidéo explicative, développement d applications, panneaux solaires, isolation, google avis,
    avis google, formation cpf, droits à la formation
  `,
  bait: `
    gratuit*, sans engagement, devis gratuit, audit gratuit, à partir de, offre exceptionnelle, offre
    spéciale, promotion, au lieu de, satisfait ou remboursé, garanti*, tarifs compétitifs, meilleurs prix,
    pas cher, paiement au résultat, au résultat, réduction, sous 24h, profitez de, primes de l, augmenter
    votre
  `,
  ask: `
    êtes vous intéressé*, si vous êtes intéressé*, si cela vous intéresse, seriez vous intéressé*, seriez
    vous disponible, puis je vous envoyer, puis je vous, pouvons nous vous, court appel, appel gratuit,
    réservez un appel, répondez à ce message, répondez moi, contactez nous, demandez votre, quels sont vos
    tarifs, nous communiquer vos prix, acceptez vous les articles, inscrivez vous, cliquez ici, vérifiez
    votre, plus de détails, whatsapp
  `,
  scam: `
    proposition d affaires, proposition d affaire, offre de prêt, prêt entre particuliers, prêt rapide,
    taux de 2, réponse sous 48h, crédit sans justificatif, revenu passif, revenus passifs, trading
    automatique, livraison discrète, casino en ligne, meilleur casino, tours gratuits, bonus de
    bienvenue, félicitations vous avez, expire aujourd hui, vérifiez votre éligibilité, voyance,
    marabout, par semaine grâce, fichiers emails, fichiers e mails, millions de contacts, contacts d
    entreprises, millions de sites, vous lisez ce message
  `,
  hint: `
    viagra, cialis, kamagra, sans ordonnance, dans les 24 heures, sera suspendu, merci de me répondre,
    pour plus de détails, pourrait vous intéresser, héritage, faire un don, don de, atteinte d un
    cancer, phase terminale, personne de confiance, au taux de, dernier rappel, formulaires de contact,
    millions de dollars, millions d euros, vous avez gagné, sans frais de dossier, éviter la suspension,
    client décédé
  `,
  link: `
    backlink*, échange de liens, article* invité*, article* sponsorisé*, articles invités ou sponsorisés,
    lien dofollow, dofollow, netlinking, achat d un backlink
  `,
  mass: `
    ne plus recevoir, vous désinscrire, se désinscrire cliquez, répondez stop
  `,
};
