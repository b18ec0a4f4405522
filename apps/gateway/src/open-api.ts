import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { EntriesPage, scriptSchemas } from '#contracts/http';

/** The description of the public API, as /api/docs shows it and docs/api keeps it. */
export function openApiDocument(app: INestApplication): OpenAPIObject {
  const description = new DocumentBuilder()
    .setTitle('Enjeu')
    .setDescription(
      'Instant lottery games: one stake, one sealed unit, one prize, one line of history. Money is whole euro cents. ' +
        'Failures are RFC 9457 problems, whose `type` is `urn:enjeu:problem:` and a stable name.',
    )
    .setVersion('1')
    .setOpenAPIVersion('3.1.0')
    .setLicense('MIT', 'https://opensource.org/license/mit')
    .addServer('/')
    .addTag('plays', 'Placing plays, and the history')
    .addTag('games', 'What is sold, and under which rules')
    .addTag('account', 'The caller’s account')
    .addTag('wallet', 'The balance and its statement')
    .addTag('blocks', 'What is public about the units on sale')
    .addBearerAuth({ type: 'http', scheme: 'bearer', bearerFormat: 'JWT' })
    .build();
  const document = SwaggerModule.createDocument(app, description, {
    extraModels: [EntriesPage],
    operationIdFactory: (_controller, method) => method,
  });
  const schemas = { ...document.components?.schemas, ...scriptSchemas() };
  return { ...document, components: { ...document.components, schemas } };
}

/** Serves the description at /api/docs, and as JSON at /api/docs-json. */
export function serveOpenApi(app: INestApplication): void {
  SwaggerModule.setup('api/docs', app, () => openApiDocument(app), { jsonDocumentUrl: 'api/docs-json' });
}
