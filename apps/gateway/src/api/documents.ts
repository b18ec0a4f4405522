import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { eventDocuments, jsonFile } from '#contracts/documents';
import { MECHANICS } from '#mechanics';
import { regulationSchema } from '#regulation';
import { gatewayModule } from '../gateway.module.ts';
import type { Gateway } from '../gateway.ts';
import { openApiDocument } from '../open-api.ts';

/** Every generated document below docs/api: path → text. Connects to nothing. */
export async function apiDocuments(): Promise<Map<string, string>> {
  return new Map([
    ...eventDocuments(),
    ['openapi.json', await openApi()] as const,
    ['regulation.schema.json', jsonFile(regulationSchema([...MECHANICS.values()]))] as const,
  ]);
}

/** Nest's preview makes the routes and none of what they need, so the gateway's parts may be missing. */
async function openApi(): Promise<string> {
  const app = await NestFactory.create(gatewayModule({} as Gateway), new FastifyAdapter(), {
    preview: true,
    logger: false,
    abortOnError: false,
  });
  try {
    return jsonFile(openApiDocument(app));
  } finally {
    await app.close();
  }
}
