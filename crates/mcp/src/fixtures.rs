//! What the official conformance suite asks a server for, around a server that has none of it.
//!
//! The suite calls tools, reads resources and gets prompts by names of its own, each of which has to answer in a fixed
//! way. None of that belongs in a program that people use, and without it most of what the suite can say about the
//! protocol stays unsaid: so there is a build with the feature `fixtures`, which only tests make.

mod asks;
mod calls;
mod news;
mod pages;
mod tools;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestParams, CompleteResult,
    ContentBlock, GetPromptRequestParams, GetPromptResponse, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    PromptsCapability, ReadResourceRequestParams, ReadResourceResponse, ResourcesCapability,
    ServerCapabilities, ServerConfig, SetLevelRequestParams, SubscribeRequestParams,
    SubscriptionFilter, Tool, ToolsCapability, UnsubscribeRequestParams,
};
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// A server, and in front of it the fixtures of the suite. What the server leaves to the SDK is left to it here, too.
#[derive(Debug, Clone)]
pub struct Fixtures<H>(pub H);

type Asked = RequestContext<RoleServer>;
type Told = NotificationContext<RoleServer>;
type Page = Option<PaginatedRequestParams>;

/// Fixtures are written as the JSON that the suite documents, and read as the types of the protocol.
fn read<T: DeserializeOwned>(fixture: Value) -> Result<T, ErrorData> {
    serde_json::from_value(fixture).map_err(|error| {
        ErrorData::internal_error(format!("a fixture is malformed: {error}"), None)
    })
}

/// A fixture that is a whole result. What the newer protocol wants to be told of it, the library takes away again for
/// older clients.
fn result<T: DeserializeOwned>(mut fixture: Value) -> Result<T, ErrorData> {
    fixture["resultType"] = "complete".into();
    read(fixture)
}

/// A result that is one text.
fn said(text: impl Into<String>) -> CallToolResponse {
    CallToolResult::success(vec![ContentBlock::text(text.into())]).into()
}

/// Fixtures stand on the first page of a list.
fn is_first(page: &Page) -> bool {
    page.as_ref().is_none_or(|it| it.cursor.is_none())
}

/// What the suite needs beyond what the server itself says it can do.
fn widened(mut can: ServerCapabilities) -> ServerCapabilities {
    can.logging = Some(can.logging.unwrap_or_default());
    can.completions = Some(can.completions.unwrap_or_default());
    let mut tools: ToolsCapability = can.tools.unwrap_or_default();
    tools.list_changed = Some(true);
    can.tools = Some(tools);
    let mut prompts: PromptsCapability = can.prompts.unwrap_or_default();
    prompts.list_changed = Some(true);
    can.prompts = Some(prompts);
    let mut resources: ResourcesCapability = can.resources.unwrap_or_default();
    (resources.subscribe, resources.list_changed) = (Some(true), Some(true));
    can.resources = Some(resources);
    can
}

impl<H: ServerHandler> ServerHandler for Fixtures<H> {
    fn get_info(&self) -> ServerConfig {
        let mut info = self.0.get_info();
        info.capabilities = widened(info.capabilities);
        info
    }

    async fn list_tools(&self, page: Page, cx: Asked) -> Result<ListToolsResult, ErrorData> {
        let fixtures = if is_first(&page) {
            tools::tools()?
        } else {
            Vec::new()
        };
        let mut result = self.0.list_tools(page, cx).await?;
        result.tools.extend(fixtures);
        Ok(result)
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tools::tool(name).or_else(|| self.0.get_tool(name))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        cx: Asked,
    ) -> Result<CallToolResponse, ErrorData> {
        if tools::tool(&request.name).is_some() {
            calls::call(&request, &cx).await
        } else {
            self.0.call_tool(request, cx).await
        }
    }

    async fn list_resources(
        &self,
        page: Page,
        cx: Asked,
    ) -> Result<ListResourcesResult, ErrorData> {
        let fixtures = if is_first(&page) {
            pages::resources()?
        } else {
            Vec::new()
        };
        let mut result = self.0.list_resources(page, cx).await?;
        result.resources.extend(fixtures);
        Ok(result)
    }

    async fn list_resource_templates(
        &self,
        page: Page,
        cx: Asked,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let fixtures = if is_first(&page) {
            pages::templates()?
        } else {
            Vec::new()
        };
        let mut result = self.0.list_resource_templates(page, cx).await?;
        result.resource_templates.extend(fixtures);
        Ok(result)
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        cx: Asked,
    ) -> Result<ReadResourceResponse, ErrorData> {
        match pages::resource(&request.uri) {
            Some(fixture) => Ok(ReadResourceResponse::Complete(result(fixture)?)),
            None => self.0.read_resource(request, cx).await,
        }
    }

    async fn list_prompts(&self, page: Page, cx: Asked) -> Result<ListPromptsResult, ErrorData> {
        let fixtures = if is_first(&page) {
            pages::prompts()?
        } else {
            Vec::new()
        };
        let mut result = self.0.list_prompts(page, cx).await?;
        result.prompts.extend(fixtures);
        Ok(result)
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        cx: Asked,
    ) -> Result<GetPromptResponse, ErrorData> {
        match pages::prompt(&request) {
            Some(fixture) => fixture,
            None => self.0.get_prompt(request, cx).await,
        }
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        cx: Asked,
    ) -> Result<CompleteResult, ErrorData> {
        match pages::completed(&request) {
            Some(fixture) => result(fixture),
            None => self.0.complete(request, cx).await,
        }
    }

    async fn set_level(&self, _: SetLevelRequestParams, _: Asked) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn subscribe(&self, request: SubscribeRequestParams, cx: Asked) -> Result<(), ErrorData> {
        if request.uri == pages::WATCHED {
            Ok(())
        } else {
            self.0.subscribe(request, cx).await
        }
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        cx: Asked,
    ) -> Result<(), ErrorData> {
        if request.uri == pages::WATCHED {
            Ok(())
        } else {
            self.0.unsubscribe(request, cx).await
        }
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        Some(requested.supported_by(&self.get_info().capabilities))
    }

    async fn listen(&self, cx: SubscriptionContext) -> Result<(), ErrorData> {
        news::subscribed(cx.sink().clone());
        self.0.listen(cx).await
    }

    async fn on_initialized(&self, cx: Told) {
        self.0.on_initialized(cx).await;
    }
}
