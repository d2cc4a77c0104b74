import type { PhrasesIn } from './phrases_in.ts';

export const es: PhrasesIn = {
  approach: `
    revisando su página, revisando su sitio, revisando tu página, visité su página, visité su sitio,
    visitando su página, visitando su sitio, encontré su página, encontré su sitio, encontré su empresa, veo
    que no aparece, noté que su, negocios como el suyo, empresas como la suya, empresas como la tuya, somos
    una agencia, somos una empresa de, somos fabricantes, somos especialistas, nuestra agencia, ayudamos a,
    le ofrecemos, les ofrecemos nuestros, ofrecemos servicios, ofrecemos nuestros, ofrecemos, le
    conseguimos, podemos posicionar, podemos ayudarle, podemos aumentar, vendemos, queremos publicar, le
    propongo, tiene capacidad para, nos dedicamos a
  `,
  goods: `
    seo, posicionamiento, posicionar su, primera página, primeros resultados de google, tráfico, marketing
    digital, diseño de páginas, diseño web, páginas web, página web desde, hosting, backlink*, intercambio
    de enlaces, enlaces, enlace dofollow, dofollow, post invitado, artículos patrocinados, publicidad en
    facebook, redes sociales, conseguir más clientes, más clientes, nuevos clientes, citas cualificadas,
    generación de leads, bases de datos, correos electrónicos verificados, base de correos, desarrollo de
    aplicaciones, aplicaciones móviles, desarrollo de software, limpieza de oficinas, servicios de limpieza,
    asistente virtual, videos explicativos, catálogo
  `,
  bait: `
    gratis, gratuita, gratuito, sin compromiso, garantizado*, garantía, tiempo limitado, oferta, por solo,
    desde 199, desde 12, precios competitivos, mejores precios, precios muy económicos, económicos,
    descuento, paga por resultados, solo paga, por resultados, la hora, primer año, años de experiencia,
    mejorar el posicionamiento
  `,
  ask: `
    le interesa, le interesaría, estaría interesado, si está interesado, si le interesa, le puedo enviar,
    puedo enviarle, podemos enviarle, puedo mandarle, llamada de 15, llamada gratuita, agendar una, agende
    una, podemos agendar, responda a este, respóndame, solicite su, aceptan artículos, cuál es el precio,
    regístrese ahora, más información en, haga clic, contáctenos, whatsapp
  `,
  scam: `
    propuesta de negocio, propuesta de negocios, donar la suma, préstamo urgente, ofrecemos préstamos,
    necesita un préstamo, sin papeleo, gane dinero, ganar dinero desde, ingresos pasivos, envío
    discreto, casino online, mejor casino, bono sin depósito, giros gratis, juega ahora, has ganado, ha
    ganado, reclama aquí, de interés sin, invirtiendo en criptomonedas, dinero desde casa, correos
    electrónicos verificados, base de correos, millones de sitios, está leyendo este mensaje
  `,
  hint: `
    herencia, beneficiario, confidencialidad, millones de dólares, millones de euros, viagra, cialis,
    sin receta, último aviso, será suspendido, en 24 horas, formularios de contacto, darle más detalles,
    de su interés, préstamos de, sin aval, criptomonedas, bases de datos de, respóndame para, mismo
    apellido, cliente fallecido
  `,
  link: `
    backlink*, intercambio de enlaces, enlace dofollow, dofollow, post invitado, artículos patrocinados,
    enlaces entre nuestras
  `,
  mass: `
    no desea recibir, no deseas recibir, darse de baja responda, responda baja, dejar de recibir
  `,
};
