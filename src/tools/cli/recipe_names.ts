// Written by `npm run generate` from docs/outputs/.
export const recipeNames = {
  airtable: 'Airtable',
  brevo: 'Brevo',
  brevo_mail: 'Brevo mail',
  github: 'GitHub issues',
  gitlab: 'GitLab issues',
  hubspot: 'HubSpot',
  jira: 'Jira',
  linear: 'Linear',
  listmonk: 'Listmonk',
  mailchimp: 'Mailchimp',
  mailgun: 'Mailgun',
  notion: 'Notion',
  postmark: 'Postmark',
  resend: 'Resend',
  sendgrid: 'SendGrid',
  zendesk: 'Zendesk',
} as const;
